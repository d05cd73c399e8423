// Checks regular expressions only: untrusted text must not make one slow. Biome checks everything else.

import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

const ALL = { report: 'potential' };

export default [
  { ignores: ['**/dist/**', '.venvs/**', 'fixtures/**', 'test/**', 'bench/**'] },
  {
    files: ['**/*.{ts,mts,mjs,cjs}'],
    languageOptions: { parser },
    plugins: { regexp },
    rules: {
      // Backtracking in polynomial or exponential time.
      'regexp/no-super-linear-backtracking': ['error', ALL],
      // A search that restarts at each character, such as /_+$/ on many underscores: quadratic time.
      'regexp/no-super-linear-move': ['error', ALL],
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(NewExpression, CallExpression)[callee.name="RegExp"]',
          message: 'use a regular expression literal: one that is built at run time cannot be checked',
        },
      ],
    },
  },
];
