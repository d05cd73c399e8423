import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentWheel } from '../../src/platform/adapter/package.js';
import { adapterRow } from '../../src/platform/adapter/row.js';
import { readServer } from '../../src/platform/server.js';
import { targetFolders } from '../../src/written/index.js';
import { askGym } from '../gym/gym-python.js';
import { gymRoot, linesOf, serverOf, tempFolder } from './support.js';

/** Reads a wheel as installers do: each file of RECORD, with its hash. */
const READ_WHEEL = `
import base64, csv, hashlib, io, json, sys, zipfile
wheel = zipfile.ZipFile(given)
assert wheel.testzip() is None
info = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
for path, digest, size in csv.reader(io.StringIO(wheel.read(info).decode())):
    if path == info:
        continue
    data = wheel.read(path)
    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert (digest, int(size)) == ("sha256=" + found, len(data)), path
infos = [(i.filename, i.date_time, oct(i.external_attr >> 16)) for i in wheel.infolist()]
print(json.dumps([infos, wheel.read(info.replace("RECORD", "METADATA")).decode()]), end="")
`;

async function gridsim() {
  const { folders } = await targetFolders(gymRoot(), ['gridsim_v1']);
  const options = { format: 'adapter-wheels-v1', target: 'grpo', carry: [], urlIsReachable: true } as const;
  return Promise.all(folders.map((folder) => readServer(folder, options)));
}

test('the wheel has the bridge of the folder, with fixed times and modes', async () => {
  const { file, content } = await environmentWheel('gridsim-v1', await gridsim());
  expect(file).toBe('gridsim_v1_openenv-0.0.0-py3-none-any.whl');
  expect((await environmentWheel('gridsim-v1', await gridsim())).content.equals(content)).toBe(true);
  const wheel = join(tempFolder(), file);
  writeFileSync(wheel, content);
  const [entries, metadata] = await askGym<[string[][], string]>(READ_WHEEL, wheel);
  const names = entries.map(([name]) => name);
  expect(names).toContain('gridsim_v1_openenv.py');
  expect(names).toContain('openenv_verifiers/environment.py');
  expect(names).toContain('openenv_bridge/episode.py');
  expect(new Set(entries.map(([, time, mode]) => JSON.stringify([time, mode])))).toEqual(
    new Set(['[[1980,1,1,0,0,0],"0o100644"]']),
  );
  expect(metadata).toContain('Name: gridsim-v1-openenv\nVersion: 0.0.0\nRequires-Dist: verifiers>=0.3.1,<0.4\n');
});

test('a row has its task and its tools in info, with the spelling of all values', () => {
  const [first = ''] = linesOf(join(serverOf(gymRoot()), 'data/train.jsonl'));
  const line = first.replace('"split"', '"reset":{"seed":9223372036854775807,"x":1.0},"split"');
  const changed = adapterRow('gridsim-v1-openenv')(line, { server: 'gridsim_v1', split: 'train', path: 'x' }, 7);
  const [before, after] = [JSON.parse(line), JSON.parse(changed)];
  expect(after).toEqual({
    responses_create_params: { input: before.responses_create_params.input },
    agent_ref: { type: 'responses_api_agents', name: 'verifiers_agent' },
    vf_env_id: 'gridsim-v1-openenv',
    task_idx: 7,
    example_id: before.task_id,
    info: {
      server: 'gridsim_v1',
      split: before.split,
      index: before.index,
      task_id: before.task_id,
      reset: before.reset,
      tools: before.responses_create_params.tools,
    },
  });
  expect(changed).toContain('{"seed":9223372036854775807,"x":1.0}');
});
