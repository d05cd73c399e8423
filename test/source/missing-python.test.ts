import { expect, test } from 'vitest';
import { missingPython } from '../../src/source/missing-python.js';

test('a project that requires another Python says which, and how to get it', () => {
  const said = 'error: No interpreter found for Python >=3.11,>=3.99 in managed installations or search path\n';
  expect(missingPython('maze', '>=3.11,>=3.99', said)).toMatchObject({
    message: 'maze requires Python >=3.11,>=3.99, which was not found',
    details: [said.trim()],
    fix: "install it: uv python install '>=3.11,>=3.99'",
  });
});

test('what else fails is left to the words of uv', () => {
  expect(missingPython('maze', '>=3.11', 'error: No solution found when resolving dependencies')).toBeNull();
});
