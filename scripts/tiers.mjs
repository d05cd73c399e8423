// The tiers of `npm test`. A tier is a list of checks, and a check is one program.

import { join } from 'node:path';
import { root } from './project.mjs';

const npmTool = (name) => join(root, 'node_modules', '.bin', name);
const python = (venv) => join(root, '.venvs', venv, 'bin', 'python');

/** A program that counts as one test. */
const whole = (name, command, ...args) => ({ name, command, args });

const ruff = (command, ...flags) =>
  whole(`ruff ${command}`, python('gym'), '-m', 'ruff', command, '--no-cache', ...flags, '.');

/**
 * Each venv checks the files that import its packages. This takes half a minute, so it is skipped while the inputs are
 * the same.
 */
const pyright = (venv, config) => ({
  ...whole(`pyright ${venv}`, npmTool('pyright'), '-p', config, '--pythonpath', python(venv)),
  inputs: {
    folders: ['bench', 'fixtures', 'templates', 'test'],
    name: /\.py$/,
    files: [config, `.venvs/${venv}/requirements.sha256`, 'package-lock.json'],
  },
});

const vitest = (project) => ({
  name: `vitest ${project}`,
  command: npmTool('vitest'),
  args: (report) => [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  report: 'vitest',
});

/** Runs in the folder, so that the folder's settings apply. */
const pytest = (cwd) => ({
  name: `pytest ${cwd}`,
  command: python('gym'),
  args: (report) => ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${report}`],
  cwd,
  report: 'junit',
});

export const TIERS = {
  lint: {
    checks: [
      whole('biome', npmTool('biome'), 'check'),
      whole('eslint', npmTool('eslint'), '.'),
      whole('dependency-cruiser', npmTool('depcruise'), 'src'),
      ruff('check'),
      ruff('format', '--check'),
    ],
    venvs: ['gym'],
  },
  types: {
    checks: [
      whole('tsc', npmTool('tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.tsc.tsbuildinfo'),
      pyright('gym', 'pyrightconfig.json'),
      pyright('agentenv', 'scripts/pyright/agentenv.json'),
    ],
    venvs: ['gym', 'agentenv'],
  },
  unit: { checks: [vitest('unit')], venvs: ['gym'], built: true },
  runtime: { checks: [pytest('test/runtime'), pytest('fixtures/gridsim')], venvs: ['gym'] },
  e2e: { checks: [vitest('e2e')], venvs: ['gym', 'agentenv'], built: true },
};

/**
 * Lanes run in parallel, the tiers of a lane one after another. runtime and e2e mostly wait for servers and deadlines.
 */
export const LANES = [['lint', 'types', 'unit'], ['runtime'], ['e2e']];
