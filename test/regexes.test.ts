import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';
import { slug } from '../src/gym/names.js';
import { yamlString } from '../src/gym/yaml.js';
import { parseServerUrl } from '../src/openenv/index.js';
import { instanceName, toolName } from '../src/rules/index.js';

const cwd = fileURLToPath(new URL('..', import.meta.url));

describe('npm run lint', () => {
  const eslint = new ESLint({ cwd });
  const rules = async (code: string) => {
    const [result] = await eslint.lintText(code, { filePath: `${cwd}/src/example.ts` });
    return result?.messages.map(({ ruleId }) => ruleId);
  };

  test.each([
    ['exponential backtracking', 'export const a = /^(a+)+$/;', 'regexp/no-super-linear-backtracking'],
    ['polynomial backtracking', 'export const a = /^a*b?a*$/;', 'regexp/no-super-linear-backtracking'],
    ['a quadratic search', "export const a = (t: string) => t.replace(/^_+|_+$/g, '');", 'regexp/no-super-linear-move'],
    ['a quadratic search with a group', 'export const a = /(\\\\*)\\$\\{/g;', 'regexp/no-super-linear-move'],
    [
      'an expression that is built at run time',
      'export const a = (t: string) => new RegExp(t);',
      'no-restricted-syntax',
    ],
  ])('rejects %s', async (_, code, rule) => {
    expect(await rules(code)).toEqual([rule]);
  });

  test('accepts a linear expression', async () => {
    expect(await rules('export const a = /^_+|(?<!_)_+$/g;')).toEqual([]);
  });
});

/** In quadratic time, these would take minutes. */
describe('texts of 400,000 characters are converted in linear time', () => {
  const run = (char: string) => `a.${char.repeat(400_000)}a`;
  test.each<[string, () => unknown]>([
    ['environment name', () => slug(run('_'))],
    ['instance name', () => instanceName(run('_'))],
    ['tool name', () => toolName(run('_'))],
    ['YAML string', () => yamlString(run('\\'))],
    ['URL', () => parseServerUrl(`http://h/${run('/')}`)],
  ])('%s', { timeout: 10_000 }, (_, work) => {
    expect(work()).toBeDefined();
  });

  test('short texts are converted as usual', () => {
    expect(slug('__My--Env.v2__')).toBe('my_env_v2');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: OmegaConf's interpolation
    expect(yamlString('\\\\${a} ${b}')).toBe(JSON.stringify('\\\\\\\\\\${a} \\${b}'));
    expect(parseServerUrl('http://h//base//ws//').http).toBe('http://h//base');
  });
});
