import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { additionalDependencies, gymPython, pinned } from '../../src/play/gym-python.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';

const project = (...dependencies: string[]) =>
  `[project]\nname = "x"\ndependencies = ${JSON.stringify(dependencies)}\n`;

test.each(['nemo-gym', 'nemo-gym[dev]', 'nemo_gym [ dev ]', 'nemo-gym[dev]>=0.7', 'nemo-gym == 0.7.0'])(
  'a server that needs only NeMo Gym runs in its environment: %s',
  (dependency) => {
    expect(additionalDependencies(project(dependency), 'pyproject.toml')).toEqual([]);
  },
);

test('other requirements are kept, also further extras of NeMo Gym', () => {
  const more = ['agentenv-framework[openenv]==0.9', 'nemo-gym[sandbox]', 'nemo-gym-extras', 'x @ git+https://h/x'];
  expect(additionalDependencies(project('nemo-gym[dev]', ...more), 'pyproject.toml')).toEqual(more);
});

test('a folder without dependencies needs nothing', () => {
  expect(additionalDependencies('[tool.x]', 'pyproject.toml')).toEqual([]);
});

test.each(['--index-url=http://evil', '-r /etc/passwd', 'x\n--pre', './here'])(
  'is no requirement: %j',
  async (text) => {
    const failure = await failureOf(Promise.resolve().then(() => additionalDependencies(project(text), 'p.toml')));
    expect(failure).toContain('at: p.toml');
  },
);

test('damaged TOML is reported', async () => {
  const failure = await failureOf(Promise.resolve().then(() => additionalDependencies('[', 'p.toml')));
  expect(failure).toContain('not valid TOML');
});

test('an environment of its own has the locked versions of what Gym pins', () => {
  const lock = readFileSync('requirements/nemo-gym.txt', 'utf8');
  const names = pinned(lock).map((each) => /^([a-z-]+)==\d+(?:\.\d+)*$/.exec(each)?.[1]);
  expect(names.sort()).toEqual(['nemo-gym', 'openai', 'ray']);
});

test('a Python without NeMo Gym is refused', async () => {
  const signal = new AbortController().signal;
  const failure = await failureOf(gymPython('/nowhere/python', {}, new Said(), signal));
  expect(failure).toMatch(/^this Python cannot run NeMo Gym: .+\nat: \/nowhere\/python\nfix: pass a Python that has/);
});
