import { expect, test, vi } from 'vitest';
import { FingerprintSet, fingerprint } from '../../src/discover/fingerprints.js';

test('each of many ids is added once', () => {
  const set = new FingerprintSet();
  const prints = Array.from({ length: 20_000 }, (_, n) => fingerprint(`@local/srv/grid-v1/day-${n}`));
  expect(prints.every((print) => set.add(print))).toBe(true);
  expect(prints.some((print) => set.add(print))).toBe(false);
});

test('fingerprints with an equal half are different, and zeros are a value', () => {
  const set = new FingerprintSet();
  const prints = [
    [0, 0],
    [0, 1],
    [2, 0],
    [2, 1],
    [2 ** 32 - 1, 2 ** 32 - 1],
  ] as const;
  expect(prints.map((print) => set.add(print))).toEqual([true, true, true, true, true]);
  expect(prints.map((print) => set.add(print))).toEqual([false, false, false, false, false]);
});

test('fingerprints differ from run to run, so that nobody can choose ids that fall on one slot', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `day-${n}`);
  vi.resetModules();
  const other = await import('../../src/discover/fingerprints.js');
  const shared = ids.filter((id) => String(other.fingerprint(id)) === String(fingerprint(id)));
  expect(shared).toEqual([]);
  const sets = [new FingerprintSet(), new other.FingerprintSet()] as const;
  const twice = [...ids, ...ids];
  expect(twice.map((id) => sets[0].add(fingerprint(id)))).toEqual(
    twice.map((id) => sets[1].add(other.fingerprint(id))),
  );
});
