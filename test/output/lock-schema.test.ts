import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { LockSchema } from '../../src/output/index.js';

const FILE = fileURLToPath(new URL('../../docs/gymgen.lock.schema.json', import.meta.url));

test('the schema in docs/ is that of the code (GYMGEN_UPDATE_GOLDEN=1 writes it)', () => {
  const schema = { title: 'gymgen.lock.json', ...z.toJSONSchema(LockSchema, { io: 'input' }) };
  if (process.env.GYMGEN_UPDATE_GOLDEN === '1') writeFileSync(FILE, JSON.stringify(schema, null, 2));
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(schema);
});
