import { expect, it } from 'vitest';
import { discovery, options, task, tool, toolset } from './discovery.js';
import { generate } from './files.js';
import { askGym } from './gym-python.js';
import { HOSTILE } from './hostile.js';

/** Reads rows as Gym does, with orjson and Gym's models. Compares them with Python's json. */
const READ = `
import orjson
from nemo_gym.base_resources_server import BaseRunRequest
from nemo_gym.openai_utils import NeMoGymResponseCreateParamsNonStreaming as Params
lines = given.splitlines()
read = [orjson.loads(line) for line in lines]
for row in read:
    Params.model_validate(row["responses_create_params"])
    BaseRunRequest.model_validate(row)
assert read == [json.loads(line) for line in lines]
json.dump([[row["responses_create_params"]["input"][-1]["content"],
            repr(row["responses_create_params"]["tools"][0]["parameters"])] for row in read], sys.stdout)
`;

it('writes rows that Gym reads, with the texts and numbers of the server', async () => {
  const schema =
    '{"type":"object","properties":{"n":{"maximum":9223372036854775807,"minimum":-9223372036854775808,"default":1.0,"enum":[18446744073709551615]}}}';
  const solver = toolset([[tool('t', schema, HOSTILE.join(' '))]]);
  const prompts = HOSTILE.filter((text) => text !== '');
  const tasks = prompts.map((prompt, index) => task(index, { prompt, systemPrompt: prompt, toolset: solver }));
  const { files, findings } = await generate(discovery(tasks), options({ appendSystemPrompt: '\u2028' }));
  expect(findings.list).toEqual([]);
  const read = await askGym<[string, string][]>(READ, files.get('data/train.jsonl'));
  expect(read.map(([prompt]) => prompt)).toEqual(prompts);
  expect(new Set(read.map(([, parameters]) => parameters))).toEqual(
    new Set([
      "{'type': 'object', 'properties': {'n': {'maximum': 9223372036854775807, 'minimum': -9223372036854775808, 'default': 1.0, 'enum': [18446744073709551615]}}}",
    ]),
  );
}, 120_000);
