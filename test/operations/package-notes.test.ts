import { expect, test } from 'vitest';
import { packageNotes } from '../../src/operations/package-notes.js';
import type { PackageRequest } from '../../src/operations/package-request.js';
import type { Dataset } from '../../src/platform/index.js';

test.each([
  ['adapter-wheels-v1', true],
  ['wheels-v1', false],
  ['native-v1', false],
] as const)('a package of format %s: whether its agent masks nothing is said', (format, isSaid) => {
  const request = { format, target: 'grpo', pin: [] } as unknown as PackageRequest;
  const notes = packageNotes(request, [], { unused: [] } as unknown as Dataset);
  expect(notes.some((note) => note.startsWith('verifiers_agent masks nothing'))).toBe(isSaid);
});
