import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import {
  BUILT_IN_AGENTS,
  BUILT_IN_ENVIRONMENT_SERVERS,
  BUILT_IN_MODELS,
  BUILT_IN_SERVERS,
  COMMAND_KEYS,
  CONFIG_FIELDS,
  DOMAINS,
  RESERVED_KEYS,
} from '../../src/rules/gym-names.js';
import { GYM_ROUTES, instanceName, LICENSES } from '../../src/rules/index.js';
import { askGym } from '../gym/gym-python.js';

type Kind = 'reserved' | 'fields' | 'commands' | 'servers' | 'licenses' | 'routes' | 'domains';
type Folder = 'responses_api_agents' | 'responses_api_models' | 'environment_servers';

let gym: Record<Kind | Folder, string[]>;

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

it("has NeMo Gym's other servers, and its domains", () => {
  expect([...BUILT_IN_AGENTS].sort()).toEqual(gym.responses_api_agents);
  expect([...BUILT_IN_MODELS].sort()).toEqual(gym.responses_api_models);
  expect([...BUILT_IN_ENVIRONMENT_SERVERS].sort()).toEqual(gym.environment_servers);
  expect([...DOMAINS].sort()).toEqual(gym.domains);
});

it("has NeMo Gym's licenses", () => {
  expect([...LICENSES].sort()).toEqual(gym.licenses);
});

it("has NeMo Gym's routes", () => {
  const single = gym.routes.filter((path) => path !== '' && !path.includes('/'));
  expect([...GYM_ROUTES].sort()).toEqual(single);
});
