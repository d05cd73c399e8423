// What `npm test` is made of: each tier is a list of checks, each of them one program that is run and counted.

import { join } from 'node:path';
import { root } from './project.mjs';

const npmTool = (name) => join(root, 'node_modules', '.bin', name);
const python = (venv) => join(root, '.venvs', venv, 'bin', 'python');

/** A program that passes or fails as a whole. */
const whole = (name, command, ...args) => ({ name, command, args });

const ruff = (command, ...flags) =>
  whole(`ruff ${command}`, python('gym'), '-m', 'ruff', command, '--no-cache', ...flags, '.');

/** Each venv checks the files that import what it has; half a minute that nothing new is learnt from while they are the same. */
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

/** Run in the folder, so that its own settings count. */
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

/** Tiers of one lane run one after another, and the lanes side by side: runtime and e2e wait for servers and deadlines much of the time. */
export const LANES = [['lint', 'types', 'unit'], ['runtime'], ['e2e']];
