import { expect, test } from 'vitest';
import { dockerFix } from '../../src/discover/docker.js';
import { failureFrom } from '../support/found.js';
import { failed } from '../support/served-session.js';

test.each([
  'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  "FileNotFoundError: [Errno 2] No such file or directory: 'docker'",
  "Error while fetching server API version: ('Connection aborted.', FileNotFoundError(2, 'No such file'))",
  'sh: 1: docker: not found',
  'Docker not ready on this machine: exit code 1',
  'this environment needs Docker',
])('a failure that says %j is fixed by starting Docker', (said) => {
  expect(dockerFix(['train[0]: no reset', said])).toBe('start Docker, and run gymgen again');
});

test.each(['docker build failed: no such file app.py', 'the reset failed: dock not found'])(
  'a failure that says %j is another one',
  (said) => {
    expect(dockerFix([said])).toBeUndefined();
  },
);

test('tasks that need Docker are not left out: Docker is started', async () => {
  const { failure } = await failureFrom({ ws: () => failed('Cannot connect to the Docker daemon') });
  expect(failure).toMatch(/could not be played[\s\S]*fix: start Docker, and run gymgen again/);
});
