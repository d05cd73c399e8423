import { expect, test } from 'vitest';
import { countTokenIds } from '../../src/report/token-ids.js';

test.each([
  ['{"prompt_token_ids":[1,2,3],"x":1.0}', '{"prompt_token_ids":3,"x":1.0}'],
  [
    '{"generation_token_ids": [ 7 ] , "generation_log_probs" : [-0.5, -1e-5, null]}',
    '{"generation_token_ids": 1 , "generation_log_probs" : 3}',
  ],
  ['{"prompt_token_ids":[]}', '{"prompt_token_ids":0}'],
  ['{"prompt_token_ids":null}', '{"prompt_token_ids":null}'],
])('%s becomes %s', (json, counted) => {
  expect(countTokenIds(json)).toBe(counted);
});

test.each([
  JSON.stringify({ text: '"prompt_token_ids":[1,2]' }),
  JSON.stringify({ text: '\\"prompt_token_ids":[1,2]' }),
  '{"prompt_token_ids":["a","b"]}',
  '{"prompt_token_ids":[[1],[2]]}',
  '{"prompt_token_ids":[1,2',
])('%s is kept', (json) => {
  expect(countTokenIds(json)).toBe(json);
});
