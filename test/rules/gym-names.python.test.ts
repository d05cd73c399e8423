import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { BUILT_IN_SERVERS, COMMAND_KEYS, CONFIG_FIELDS, RESERVED_KEYS } from '../../src/rules/gym-names.js';
import { GYM_ROUTES, instanceName, LICENSES } from '../../src/rules/index.js';
import { askGym } from '../gym/gym-python.js';

let gym: Record<'reserved' | 'fields' | 'commands' | 'servers' | 'licenses' | 'routes', string[]>;

beforeAll(async () => {
  gym = await askGym(await readFile(new URL('gym_names.py', import.meta.url), 'utf8'));
}, 120_000);

it("has NeMo Gym's reserved keys", () => {
  expect([...RESERVED_KEYS].sort()).toEqual(gym.reserved);
});

it("has the fields of NeMo Gym's CLI configs", () => {
  const known = new Set([...RESERVED_KEYS, ...CONFIG_FIELDS]);
  expect(gym.fields.filter((name) => !known.has(name))).toEqual([]);
  expect([...CONFIG_FIELDS].filter((name) => !gym.fields.includes(name))).toEqual([]);
});

it('refuses every key that commands set', () => {
  expect(gym.commands.length).toBeGreaterThan(50);
  expect(gym.commands.filter((name) => instanceName(name).length === 0)).toEqual([]);
  expect(COMMAND_KEYS.has('policy_model')).toBe(true);
});

it("has NeMo Gym's built-in servers", () => {
  expect([...BUILT_IN_SERVERS].sort()).toEqual(gym.servers);
});

it("has NeMo Gym's licenses", () => {
  expect([...LICENSES].sort()).toEqual(gym.licenses);
});

it("has NeMo Gym's routes", () => {
  const single = gym.routes.filter((path) => path !== '' && !path.includes('/'));
  expect([...GYM_ROUTES].sort()).toEqual(single);
});
