// Regular expressions only: foreign text must not make one slow. Biome checks everything else.

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
      // Polynomial or exponential backtracking.
      'regexp/no-super-linear-backtracking': ['error', ALL],
      // A search that starts again at each character, such as /_+$/ in a long run of underscores.
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
          message: 'use a regular expression literal: one built at run time is not checked',
        },
      ],
    },
  },
];
