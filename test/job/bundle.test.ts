// A bundle whose env type comes from a plugin, as a package: judged by NeMo Platform's checkers, and played by the host
// script of a job. The plugin goes in as a module beside app.py, or as a wheel.

import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWheel } from '../../src/platform/adapter/wheel.js';
import type { Move } from '../../src/play/index.js';
import { withoutHome } from '../e2e/support/mcp-servers.js';
import { endings } from '../e2e/support/processes.js';
import { playDirectly } from '../e2e/support/run-python.js';
import { type AgentEnv, agentEnv } from '../e2e/support/servers.js';
import { movesOf } from '../e2e/support/solver.js';
import { python, REPOSITORY } from '../e2e/support/toolchain.js';
import { assertAccepted, gymgen, isolated, jobRewards, type Needed, oracles, type Row, rowsOf } from './support.js';

const AGENTENV = join(REPOSITORY, 'fixtures/agentenv');
const PLUGIN = 'live_mcp.py';
/** What registers the plugin. */
const SETTINGS = '[envs]\nimpls = ["live_mcp:LiveMcpEnv"]\n';

const work = mkdtempSync(join(tmpdir(), 'gymgen-job-'));
const root = join(work, 'root');
const folder = join(root, 'resources_servers/tools_v1');
const outOf = (name: string) => join(work, name);
const wheelsOf = (name: string) => join(outOf(name), 'environment/wheels');
const ending = endings();

/** NeMo Gym has a route with the name of this tool. */
const rowMoves = ({ task_id }: Row): Move[] =>
  movesOf(task_id).map((move) => ('call' in move && move.call === 'stats' ? { ...move, call: 'statistics' } : move));

describe.skipIf(oracles === '' || !isolated)('tools-v1', () => {
  let bundle: AgentEnv;
  let direct: (number | null)[];

  beforeAll(async () => {
    bundle = ending(await agentEnv('tools-v1'));
    mkdirSync(join(bundle.bundle, '.agentenv'));
    writeFileSync(join(bundle.bundle, '.agentenv/config.toml'), SETTINGS);
    await gymgen([bundle.bundle, root, '--rename-tool', 'stats=statistics'], withoutHome(bundle.env));
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  const rows = (out: string) =>
    ['training', 'validation'].flatMap((name) => rowsOf(join(out, `dataset/${name}.jsonl`)));

  async function packaged(name: string, ...more: string[]): Promise<string> {
    const out = outOf(name);
    const said = await gymgen(['package', root, '-o', out, '--train', 'train', '--validation', 'eval', ...more]);
    expect(said).toContain('MCP servers on loopback');
    await assertAccepted(out);
    return out;
  }

  /** Plays all rows in a namespace that has the MCP servers of the bundle. */
  async function play(out: string, more: { index?: string } = {}): Promise<number[]> {
    const program = await python('agentenv');
    const servers = Object.entries(bundle.servers).map(([name, { port }]): Needed => {
      return [[program, `${name}_server.py`, String(port)], join(AGENTENV, 'mcp_servers'), port];
    });
    return jobRewards({ out, work, rows: rows(out), moves: rowMoves, servers, ...more });
  }

  test('is accepted as native-v1 and wheels-v1, with the plugin beside app.py', async () => {
    copyFileSync(join(AGENTENV, 'plugin', PLUGIN), join(folder, PLUGIN));
    for (const format of ['native-v1', 'wheels-v1']) {
      const out = await packaged(format, '--format', format, '--carry', PLUGIN);
      const validated = await gymgen(['validate', join(out, 'environment'), join(out, 'dataset')]);
      expect(validated.match(/\[[\w-]+\]$/gm) ?? []).toEqual([]);
    }
    const episodes = rows(outOf('native-v1')).map((row) => ({ ...row, moves: movesOf(row.task_id) }));
    direct = (await playDirectly(bundle.url, episodes)).map(({ reward }) => reward);
    expect(new Set(direct)).toEqual(new Set([0, 1]));
  });

  test('plays with the plugin beside app.py', async () => {
    expect(await play(outOf('native-v1'), { index: wheelsOf('wheels-v1') })).toEqual(direct);
  });

  test('plays with the plugin as a wheel that pyproject.toml requires', async () => {
    rmSync(join(folder, PLUGIN));
    const pyproject = join(folder, 'pyproject.toml');
    const text = readFileSync(pyproject, 'utf8');
    writeFileSync(pyproject, text.replace(/^dependencies = \[/m, '$&"live-mcp==1.0", '));
    const house = join(work, 'house');
    cpSync(wheelsOf('wheels-v1'), house, { recursive: true });
    const files = [{ path: PLUGIN, content: readFileSync(join(AGENTENV, 'plugin', PLUGIN)) }];
    const wheel = buildWheel({ project: 'live_mcp', version: '1.0', requires: [], files });
    writeFileSync(join(house, wheel.file), wheel.content);
    const out = await packaged('plugin-wheel', '--format', 'wheels-v1', '--wheelhouse', house);
    expect(await play(out)).toEqual(direct);
  });
});
