import { expect, it } from 'vitest';
import { jsonProblem } from '../../src/rules/index.js';
import { askGym } from '../gym/gym-python.js';
import { JSON_TEXTS } from './json-text.cases.js';

/** Whether orjson reads a text and writes it back unchanged. */
const ORJSON = `
import orjson
def keeps(text):
    try:
        read = orjson.loads(text.encode())
        return repr(orjson.loads(orjson.dumps(read))) == repr(read) == repr(json.loads(text))
    except (ValueError, TypeError, UnicodeEncodeError):
        return False
json.dump([keeps(text) for text in given], sys.stdout)
`;

it('refuses exactly what orjson refuses or changes', async () => {
  const texts = JSON_TEXTS.map(([text]) => text);
  const kept = await askGym<boolean[]>(ORJSON, texts);
  const accepted = texts.map((text) => jsonProblem(text) === undefined);
  expect(texts.map((text, at) => [text.slice(0, 40), accepted[at]])).toEqual(
    texts.map((text, at) => [text.slice(0, 40), kept[at]]),
  );
});

it('accepts only schemas that Gym can nest in a rollout', async () => {
  const program = `
import orjson
from nemo_gym.base_resources_server import BaseVerifyRequest
tool = {"type": "function", "name": "t", "description": "", "parameters": json.loads(given), "strict": False}
response = {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": [], "tools": [tool],
            "parallel_tool_calls": True, "tool_choice": "auto"}
body = {"responses_create_params": {"input": "x", "tools": [tool]}, "response": response}
read = BaseVerifyRequest.model_validate_json(orjson.dumps(body))
json.dump(json.loads(read.model_dump_json())["responses_create_params"]["tools"][0]["parameters"] == json.loads(given), sys.stdout)
`;
  const deepest = `${'{"a":'.repeat(128)}1${'}'.repeat(128)}`;
  expect(jsonProblem(deepest)).toBeUndefined();
  expect(await askGym(program, deepest)).toBe(true);
}, 120_000);
