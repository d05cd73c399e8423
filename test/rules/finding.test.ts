import { expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { error, warning } from '../../src/rules/finding.js';
import { describe as describeFinding, Findings } from '../../src/rules/index.js';

const problem = (subject: string) => error('c', subject, 'is wrong', 'fix it');

it('keeps a limited number of errors without duplicates, and counts the others', () => {
  const findings = new Findings(2);
  for (const subject of ['a', 'a', 'b', 'c', 'd']) findings.add([problem(subject)]);
  expect(findings.list.map(({ subject }) => subject)).toEqual(['a', 'b']);
  try {
    findings.throwIfAny('no good');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).details).toEqual(['a: is wrong [c]; fix it', 'b: is wrong [c]; fix it', 'and 2 more']);
  }
});

it('throws nothing without errors', () => {
  expect(() => new Findings().throwIfAny('no good')).not.toThrow();
});

it('accepts any number at once', () => {
  const findings = new Findings();
  findings.add(Array.from({ length: 300_000 }, (_, n) => problem(`tool ${n}`)));
  expect(findings.list).toHaveLength(50);
});

it('keeps warnings apart from errors', () => {
  const findings = new Findings(2);
  for (const at of [1, 2, 3]) findings.add([warning(`w${at}`, 'x', 'is odd', 'fix it')]);
  expect([findings.any, findings.warnings.length]).toEqual([false, 2]);
  expect(() => findings.throwIfAny('no good')).not.toThrow();
  findings.add([problem('x')]);
  expect(findings.list.map(describeFinding)).toEqual(['x: is wrong [c]; fix it']);
});
