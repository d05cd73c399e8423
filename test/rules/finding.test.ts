import { expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { Findings } from '../../src/rules/index.js';

const finding = (where: string) => ({ code: 'c', where, what: 'is wrong', fix: 'mend it' });

it('holds a bounded number, each once, and counts the rest', () => {
  const findings = new Findings(2);
  for (const where of ['a', 'a', 'b', 'c', 'd']) findings.add([finding(where)]);
  expect(findings.list.map(({ where }) => where)).toEqual(['a', 'b']);
  try {
    findings.throwIfAny('no good');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).details).toEqual([
      'a: is wrong [c]; mend it',
      'b: is wrong [c]; mend it',
      'and 2 more',
    ]);
  }
});

it('throws nothing where there is nothing', () => {
  expect(() => new Findings().throwIfAny('no good')).not.toThrow();
});

it('takes any number at once', () => {
  const findings = new Findings();
  findings.add(Array.from({ length: 300_000 }, (_, n) => finding(`tool ${n}`)));
  expect(findings.list).toHaveLength(50);
});
