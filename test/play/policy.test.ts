import { describe, expect, test } from 'vitest';
import { type Conversation, idle, type Move, type Policy, type Script, scripted } from '../../src/play/policy.js';
import { policyOf, scriptsIn } from '../../src/play/policy-file.js';
import { failureOf } from '../support/failure-of.js';

const say = (text: string): Move => ({ say: text });
const call = (name: string): Move => ({ call: name, arguments: {} });

const begin = (prompt: string): Conversation => ({ prompt, system: undefined, tools: [], calls: [], answers: [] });

/** The moves of a rollout up to the one that ends it, at most ten. */
async function movesOf(policy: Policy, prompt: string): Promise<Move[]> {
  const moves: Move[] = [];
  let conversation = begin(prompt);
  while (moves.length < 10) {
    const { label, ...move } = await policy(conversation);
    moves.push(move);
    if (!('call' in move)) break;
    conversation = { ...conversation, calls: [...conversation.calls, move], label };
  }
  return moves;
}

const SCRIPTS: Script[] = [
  { steps: [call('a'), say('A')] },
  { prompt: /bank/, steps: [call('pay'), call('pay')] },
  { steps: [say('B')] },
];

test('idle ends a rollout at once', async () => {
  expect(await movesOf(idle, 'x')).toEqual([say('')]);
});

describe('scripts', () => {
  test('are chosen by their pattern', async () => {
    const policy = scripted(SCRIPTS);
    for (const prompt of ['the bank', 'a bank']) {
      expect(await movesOf(policy, prompt)).toEqual([call('pay'), call('pay'), say('')]);
    }
  });

  test('without a pattern take turns', async () => {
    const policy = scripted(SCRIPTS);
    const played = [];
    for (const prompt of ['x', 'x', 'y']) played.push(await movesOf(policy, prompt));
    expect(played).toEqual([[call('a'), say('A')], [say('B')], [call('a'), say('A')]]);
  });

  test('keep their rollout if others begin meanwhile', async () => {
    const policy = scripted(SCRIPTS);
    const first = await policy(begin('x'));
    await policy(begin('y'));
    const calls = [{ call: 'a', arguments: {} }];
    expect(await policy({ ...begin('x'), calls, label: first.label })).toMatchObject(say('A'));
  });

  test('end rollouts that none is for', async () => {
    expect(await movesOf(scripted([{ prompt: /x/, steps: [call('a')] }]), 'y')).toEqual([say('')]);
  });
});

describe('a file of scripts', () => {
  test('is JSON', () => {
    const text = '[{"prompt": "b.nk", "steps": [{"call": "pay", "arguments": {"to": "me"}}, {"say": "done"}]}]';
    const [script] = scriptsIn(text, 'p.json');
    expect(script?.prompt?.test('my bank')).toBe(true);
    expect(script?.steps).toEqual([{ call: 'pay', arguments: { to: 'me' } }, say('done')]);
  });

  test('may have many steps', () => {
    const steps = Array.from({ length: 20_000 }, () => call('a'));
    expect(scriptsIn(JSON.stringify([{ steps }]), 'p.json')[0]?.steps).toHaveLength(20_000);
  });

  test('is YAML, and arguments may be left out', () => {
    expect(scriptsIn('- steps:\n  - call: end_turn\n', 'p.yaml')).toEqual([{ steps: [call('end_turn')] }]);
  });

  test.each([
    ['[]', 'Too small'],
    ['{"steps": []}', 'expected array'],
    ['[{"steps": [{"do": "x"}]}]', '0.steps.0: must be {call: TOOL, arguments: {…}} or {say: TEXT}'],
    ['[{"steps": [], "promt": "x"}]', 'promt'],
    ['[{"steps": [], "prompt": "("}]', '0.prompt: not a regular expression'],
    ['[{]', ''],
  ])('names what is wrong: %s', async (text, problem) => {
    const failure = await failureOf(Promise.resolve().then(() => scriptsIn(text, 'p.json')));
    expect(failure).toMatch(/^invalid script file\n.+/);
    expect(failure).toContain(problem);
    expect(failure).toContain('at: p.json');
  });

  test('that does not exist names both kinds of policy', async () => {
    await expect(policyOf('random')).rejects.toMatchObject({
      message: 'policy is neither idle nor an existing file',
      where: 'random',
      fix: expect.stringContaining('--policy idle'),
    });
  });
});
