import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { askGym, gymPython } from '../gym/gym-python.js';
import { judged, withToolchain } from '../validate/support.js';

/** The folder of the installed wheel of NeMo Gym, which is a Gym root with 145 servers. */
let root: string;

beforeAll(async () => {
  withToolchain();
  const file = await askGym<string>('import nemo_gym; json.dump(nemo_gym.__file__, sys.stdout)');
  root = join(file, '..', '..');
});

/** What is wrong in NeMo Gym 0.7.0. Each was confirmed with Gym's own parser, or by looking for the folder. */
const KNOWN = [
  // Not a license of `DatasetConfig`: `gym env validate` ends with AlmostServerError.
  "dataset-entry resources_servers/spartqa/configs/spartqa.yaml datasets[0] of 'spartqa_simple_agent'",
  "dataset-entry resources_servers/spartqa/configs/spartqa.yaml datasets[1] of 'spartqa_simple_agent'",
  // These folders do not exist; the programs are in ns_tools/ and langgraph_agent/.
  ...['arxiv', 'coolprop', 'particle', 'periodictable', 'radioactivedecay', 'wikipedia'].map(
    (name) =>
      `implementation-missing resources_servers/ns_tools/configs/ns_tools_${name}.yaml implementation 'ns_tools_${name}'`,
  ),
  "implementation-missing responses_api_agents/langgraph_agent/configs/reflection_agent.yaml implementation 'reflection_agent'",
  // No config defines this agent.
  ...Array.from(
    { length: 5 },
    () => "row-agent-unknown resources_servers/gymnasium/data/example.jsonl agent_ref.name 'example_gymnasium_agent'",
  ),
];

test("of NeMo Gym's own 145 servers, only what is wrong is found", async () => {
  const found = await judged(root, { python: gymPython() });
  expect(found.findings.map(({ code, at, subject }) => `${code} ${at.file} ${subject}`)).toEqual(KNOWN);
  expect(found.notJudged).toEqual([]);
  expect(found.rows.length).toBeGreaterThan(145);
});

test('each of the 145 servers can be judged on its own', async () => {
  const names = readdirSync(join(root, 'resources_servers'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
    .map(({ name }) => name);
  expect(names).toHaveLength(145);
  const found: string[] = [];
  for (const name of names) {
    const { findings } = await judged(join(root, 'resources_servers', name));
    found.push(...findings.map(({ code, at, subject }) => `${code} ${at.file} ${subject}`));
  }
  expect(found.sort()).toEqual(KNOWN.filter((line) => line.includes(' resources_servers/')).sort());
});
