import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { gymPython } from '../gym/gym-python.js';
import { copyOf, judged, linesOf, makeBroken, tempFolder, withToolchain } from './support.js';

let folder: string;

beforeAll(() => {
  withToolchain();
  folder = makeBroken('paths-twice');
}, 120_000);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const MANIFEST = 'nemo-environment.yaml';
const CONFIG = 'resources_servers/weather/configs/weather.yaml';
const ROW = '{"responses_create_params":{"input":"x"},"agent_ref":{"name":"weather_simple_agent"}}\n';

const ALIASES = [
  'a: &a [x,x,x,x,x,x,x,x,x,x]',
  ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, at) => {
    const alias = `*${'abcdefgh'[at]}`;
    return `${name}: &${name} [${Array.from({ length: 10 }, () => alias).join(',')}]`;
  }),
  '',
].join('\n');

test.each([
  ['YAML whose aliases expand to 10 million values', MANIFEST, ALIASES, 'error manifest-yaml nemo-environment.yaml:8'],
  ['a config whose aliases expand to 10 million values', CONFIG, ALIASES, `error config-yaml ${CONFIG}:8`],
  ['a manifest of a megabyte', MANIFEST, `a: ${'x'.repeat(2 ** 20)}\n`, 'error manifest-yaml nemo-environment.yaml'],
  ['a config that is nested deeply', CONFIG, `a: ${'['.repeat(5000)}\n`, `error config-yaml ${CONFIG}`],
  ['a config that is not UTF-8', CONFIG, Buffer.from('a: \xff\n', 'latin1'), `error config-yaml ${CONFIG}`],
  ['an unknown tag', CONFIG, 'a: !!python/object:os.system x\n', `error config-yaml ${CONFIG}:1`],
])('%s: one finding', async (_, file, content, line) => {
  const found = await judged(copyOf(join(folder, 'good-native'), { [file]: content }));
  expect(linesOf(found).filter((one) => !one.includes('models-file'))).toEqual([line]);
});

test('a row of 200 MB is skipped, and the rows after it are judged', async () => {
  const file = join(tempFolder(), 'training.jsonl');
  writeFileSync(file, ROW);
  truncateSync(file, 200 * 2 ** 20);
  writeFileSync(file, `\n${ROW.replace('input', 'inputs')}`, { flag: 'a' });
  const found = await judged(file);
  expect(linesOf(found)).toEqual([
    'error row-size training.jsonl:2',
    'error row-params-key training.jsonl:3',
    'error row-input-missing training.jsonl:3',
  ]);
  expect(found.rows).toEqual([{ file: 'training.jsonl', rows: 3 }]);
});

test('of a problem in every row, five findings are kept, and the others counted', async () => {
  const file = join(tempFolder(), 'validation.jsonl');
  writeFileSync(file, ROW.replace('agent_ref', 'agent').repeat(10_000));
  const { findings } = await judged(file);
  expect(findings.map(({ code, more }) => [code, more])).toEqual([
    ...Array.from({ length: 4 }, () => ['row-no-agent', 0]),
    ['row-no-agent', 9995],
  ]);
});

/** Wheels that a Python program writes to `argv[1]`. */
const WHEELS = `
import sys, zipfile
folder = sys.argv[1]
def wheel(name, files):
    with zipfile.ZipFile(f"{folder}/{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as z:
        info = f"{name}-1.0.dist-info"
        files = {f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n", f"{info}/WHEEL": "Wheel-Version: 1.0\\n", f"{info}/RECORD": "", **files}
        for path, content in files.items():
            z.writestr(path, content)
wheel("bomb", {"bomb/a": b"\\0" * (300 * 2**20)})
wheel("escape", {"../../escape.py": "x"})
wheel("metadata", {"metadata-1.0.dist-info/METADATA": b"Name: metadata\\nVersion: 1.0\\n" + b" " * (20 * 2**20)})
`;

test('a zip bomb and a wheel with ../ are findings, and nothing is unpacked', async () => {
  const copy = copyOf(join(folder, 'good-wheels'));
  const { status, stderr } = spawnSync(gymPython(), ['-c', WHEELS, join(copy, 'wheels')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  expect(linesOf(await judged(copy))).toEqual([
    'error wheel-size wheels/bomb-1.0-py3-none-any.whl',
    'error wheel-size wheels/metadata-1.0-py3-none-any.whl',
    'error wheel-path wheels/escape-1.0-py3-none-any.whl',
  ]);
});

test.each([
  ['in a file', '__version__', 0],
  ['in the size of a file', 'PK\x03\x04', 22],
  ['in the version that unzip needs', 'PK\x03\x04', 4],
])('a byte of a wheel that was flipped %s is found', async (_, after, offset) => {
  const wheel = 'wheels/httpx-0.28.1-py3-none-any.whl';
  const bytes = readFileSync(join(folder, 'good-wheels', wheel));
  const at = bytes.indexOf(after) + offset;
  bytes[at] = (bytes[at] as number) ^ 0x80;
  const copy = copyOf(join(folder, 'good-wheels'), { [wheel]: bytes });
  expect(linesOf(await judged(copy))).toEqual([`error wheel-zip ${wheel}`]);
});
