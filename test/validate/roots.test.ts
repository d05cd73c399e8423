import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { copyOf, judged, linesOf, tempFolder, withToolchain } from './support.js';

const fixture = (path: string) => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));
const ROOT = fixture('roots');
const CONFIG = 'resources_servers/gridsim_v1/configs/gridsim_v1.yaml';
const ROWS = 'resources_servers/gridsim_v1/data/train.jsonl';

beforeAll(withToolchain);
afterAll(() => void vi.unstubAllEnvs());

test('a Gym root that gymgen wrote is clean', async () => {
  const found = await judged(ROOT);
  expect({ ...found, rows: found.rows.length > 0 }).toEqual({
    ...{ kind: 'root', path: ROOT, findings: [], rows: true, notJudged: [] },
  });
});

test.each([
  ['plain', 'gridsim_v1'],
  ['provided', 'gridsim_v1'],
  ['bundle', 'gridsim_v1'],
  ['everything', 'my_env_v2'],
])('the golden folder %s is clean', async (golden, name) => {
  const root = tempFolder();
  const folder = join(root, 'resources_servers', name);
  cpSync(fixture(`golden/${golden}`), folder, { recursive: true });
  expect(linesOf(await judged(root))).toEqual([]);
  const one = await judged(folder);
  expect([one.kind, linesOf(one)]).toEqual(['server', []]);
});

test('a Gym root stays one after NeMo Gym has run in it', async () => {
  const venv = { 'pyvenv.cfg': '', 'rows.jsonl': 'no row\n' };
  const files = Object.entries(venv).flatMap(([name, text]) => [
    [`.venv/${name}`, text],
    [`cache/uv/${name}`, text],
    [`responses_api_models/vllm_model/.venv/${name}`, text],
  ]);
  const found = await judged(copyOf(ROOT, Object.fromEntries(files)));
  expect([found.kind, linesOf(found)]).toEqual(['root', []]);
});

describe('in a root that was edited', () => {
  const edited = async (files: Record<string, string>, target = '') => {
    return linesOf(await judged(join(copyOf(ROOT, files), target)));
  };

  test('a config that is not YAML is found', async () => {
    expect(await edited({ [CONFIG]: 'a: [\n' })).toContain(`error config-yaml ${CONFIG}:2`);
  });

  test('a config without its instances is found', async () => {
    expect(await edited({ [CONFIG]: 'other: 1\n' })).toContain(`error config-name ${CONFIG}`);
  });

  test('a Python file that cannot be parsed is found, and only in the folder that is named', async () => {
    const app = 'resources_servers/gridsim_v1/app.py';
    expect(await edited({ [app]: 'def (\n' })).toEqual([`error app-syntax ${app}:1`]);
    expect(await edited({ [app]: 'def (\n' }, 'resources_servers/everything')).toEqual([]);
  });

  test('a row that Gym refuses is found', async () => {
    const row = '{"agent_ref":{"name":"gridsim_v1_simple_agent"},"responses_create_params":{"input":null}}\n';
    expect(await edited({ [ROWS]: row })).toContain(`error row-input-missing ${ROWS}:1`);
  });

  test('a tool that toolsets.json does not have is found', async () => {
    const tool = { type: 'function', name: 'fly', parameters: {}, strict: true };
    const row = {
      agent_ref: { name: 'gridsim_v1_simple_agent' },
      responses_create_params: { input: 'x', tools: [tool] },
    };
    expect(await edited({ [ROWS]: `${JSON.stringify(row)}\n` })).toEqual([`error row-tool-unknown ${ROWS}:1`]);
  });

  test('requirements.txt beside pyproject.toml is found', async () => {
    expect(await edited({ 'resources_servers/gridsim_v1/requirements.txt': '#\n' })).toEqual([
      'error server-both resources_servers/gridsim_v1/pyproject.toml',
    ]);
  });

  test('a pyproject.toml of another project is found', async () => {
    expect(await edited({ 'pyproject.toml': '[project]\nname = "mine"\n' })).toEqual(['error gym-root ']);
  });
});
