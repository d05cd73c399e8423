import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requirementsFile } from '../../src/source/requirements.js';

describe.each(['uv', 'agentenv', 'gridsim'] as const)('what is locked for %s', (name) => {
  const text = readFileSync(requirementsFile(name), 'utf8');
  const entries = text.replaceAll('\\\n', '').trim().split('\n');

  test('has one version of each package, with the hash of each of its files', () => {
    for (const entry of entries)
      expect(entry).toMatch(/^[a-z0-9-]+==[\w.]+(?: ; [^\\]+)?(?: +--hash=sha256:[0-9a-f]{64})+$/);
  });

  test('names no index, so that a mirror of the user counts', () => {
    expect(text).not.toMatch(/:\/\/|--(?:extra-)?index-url|--find-links/);
  });
});

test('the locked packages of the demo are those that its project asks for', () => {
  const asked = /^dependencies = \["([^"]+)", "uvicorn/m.exec(
    readFileSync('fixtures/gridsim/pyproject.toml', 'utf8'),
  )?.[1];
  expect(asked).toMatch(/^openenv==/);
  expect(readFileSync(requirementsFile('gridsim'), 'utf8')).toContain(`\n${asked} \\\n`);
});
