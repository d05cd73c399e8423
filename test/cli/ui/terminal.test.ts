import { EventEmitter } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mayClose } from '../../../src/cli/ui/closed-pipe.js';
import { widthOf } from '../../../src/cli/ui/cut.js';
import { showError } from '../../../src/cli/ui/error.js';
import { Terminal, type TerminalOptions } from '../../../src/cli/ui/terminal.js';
import { Interrupted, UserError } from '../../../src/errors.js';
import { steering } from '../../support/steering.js';
import { TestClock } from '../../support/test-clock.js';

class Stream extends EventEmitter {
  text = '';
  columns = 40;
  constructor(readonly isTTY: boolean) {
    super();
  }
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

function opened(options: Partial<TerminalOptions> = {}, tty = false) {
  const [out, err] = [new Stream(tty), new Stream(tty)];
  const all = { quiet: false, json: false, verbose: false, ...options };
  const as = (stream: Stream) => stream as unknown as NodeJS.WriteStream;
  const clock = new TestClock();
  return { out, err, clock, terminal: new Terminal(all, as(out), as(err), clock) };
}

beforeEach(() => {
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => void vi.unstubAllEnvs());

const ESC = '\x1b';

describe('streams', () => {
  const say = (terminal: Terminal) => {
    terminal.progress({ phase: 'step', what: 'progress' });
    terminal.note('note');
    terminal.warn('warn');
    terminal.detail('detail');
    terminal.result('result');
    terminal.document({ a: 1 });
  };

  test.each<[string, Partial<TerminalOptions>, out: string, err: string]>([
    ['by default', {}, 'result\n', 'note\nwarning: warn\n'],
    ['--quiet', { quiet: true }, 'result\n', ''],
    ['--verbose', { verbose: true }, 'result\n', 'note\nwarning: warn\ndetail\n'],
    ['--json', { json: true }, '{\n  "a": 1\n}\n', 'note\nwarning: warn\n'],
    ['--json --quiet', { json: true, quiet: true }, '{\n  "a": 1\n}\n', ''],
  ])('%s', (_, options, out, err) => {
    const all = opened(options);
    say(all.terminal);
    expect([all.out.text, all.err.text]).toEqual([out, err]);
  });
});

describe('progress', () => {
  const step = { phase: 'step', what: 'going' } as const;

  test('is a line that is drawn ten times a second, until a result', () => {
    const { terminal, err, out, clock } = opened({}, true);
    terminal.progress(step);
    expect(err.text).toBe('');
    clock.pass(100);
    expect(err.text).toBe('going\r');
    clock.pass(800);
    expect(err.text).toBe('going\r');
    clock.pass(100);
    expect(err.text).toBe(`going\r\r${ESC}[Jgoing, 1 s\r`);
    err.text = '';
    terminal.note('note');
    expect(err.text).toBe(`\r${ESC}[Jnote\ngoing, 1 s\r`);
    err.text = '';
    terminal.result('done');
    clock.pass(1000);
    expect([err.text, out.text]).toEqual([`\r${ESC}[J`, 'done\n']);
  });

  test('is a plain line every ten seconds in a log, and on a dumb terminal', () => {
    vi.stubEnv('TERM', 'dumb');
    for (const tty of [false, true]) {
      const { terminal, err, clock } = opened({}, tty);
      terminal.progress(step);
      clock.pass(9900);
      expect(err.text).toBe('');
      clock.pass(10_100);
      expect(err.text).toBe('going, 10 s\ngoing, 20 s\n');
    }
  });

  test('is not shown with --quiet', () => {
    for (const tty of [false, true]) {
      const { terminal, err, clock } = opened({ quiet: true }, tty);
      terminal.progress(step);
      clock.pass(60_000);
      expect(err.text).toBe('');
    }
  });

  test('ends with the command, also if more is reported', () => {
    const { terminal, err, clock } = opened({}, true);
    terminal.progress(step);
    clock.pass(100);
    terminal.end();
    terminal.progress(step);
    clock.pass(1000);
    expect(err.text).toBe(`going\r\r${ESC}[J`);
  });

  test('never wraps, and never controls the terminal', () => {
    const { terminal, err, clock } = opened({}, true);
    for (const name of [`x\n${ESC}[2J${'x'.repeat(100)}`, '测'.repeat(100), '👩‍👩‍👧'.repeat(100)]) {
      err.text = '';
      terminal.progress({ phase: 'step', what: name });
      clock.pass(100);
      const shown = err.text.slice(err.text.lastIndexOf(`${ESC}[J`) + 1).replace('[J', '');
      expect(steering(shown.replace(/\r$/, ''))).toEqual([]);
      expect(widthOf(shown.replace(/\r$/, ''))).toBeLessThan(40);
      expect(shown).toContain('…');
    }
  });

  test('of several lines is erased completely, also after the terminal became narrower', () => {
    const { terminal, err, clock } = opened({}, true);
    const lines = ['a'.repeat(30), 'b'.repeat(30), 'c'];
    terminal.show({ lines: () => lines, plain: () => '' });
    clock.pass(100);
    expect(err.text).toBe(`${lines.join('\n')}\r`);
    err.text = '';
    err.columns = 20;
    terminal.end();
    expect(err.text).toBe(`\r${ESC}[4A${ESC}[J`);
  });

  test('of more lines than the terminal has shows the last ones', () => {
    const { terminal, err, clock } = opened({}, true);
    Object.assign(err, { rows: 3 });
    terminal.show({ lines: () => ['a', 'b', 'c', 'd'], plain: () => '' });
    clock.pass(100);
    expect(err.text).toBe('c\nd\r');
  });
});

describe('a sentence', () => {
  const text = 'one two three four five six seven eight nine ten';

  test('is broken at spaces on a terminal', () => {
    const { terminal, err } = opened({}, true);
    terminal.warn(text);
    showError(new UserError(text, { details: [text], fix: `${text}: a b c d e f g h i j k l m n o p q` }), terminal);
    expect(stripVTControlCharacters(err.text).split('\n')).toEqual([
      'warning: one two three four five six',
      '  seven eight nine ten',
      'error: one two three four five six seven',
      '  eight nine ten',
      '  - one two three four five six seven',
      '    eight nine ten',
      '  fix: one two three four five six seven',
      '       eight nine ten:',
      '       a b c d e f g h i j k l m n o p q', // a command can be copied as one line
      '',
    ]);
  });

  test('is broken for 80 columns on a terminal of unknown size', () => {
    const { terminal, err, clock } = opened({}, true);
    err.columns = 0;
    terminal.warn(`${text} ${text}`);
    terminal.progress({ phase: 'step', what: text });
    clock.pass(100);
    const shown = stripVTControlCharacters(err.text);
    expect(shown).toBe(`warning: ${text} one two three four\n  five six seven eight nine ten\n${text}\r`);
  });

  test('is one line in a log', () => {
    const { terminal, err } = opened();
    terminal.warn(text);
    expect(err.text).toBe(`warning: ${text}\n`);
  });
});

describe('a request', () => {
  const request = { request: 'GET http://h/health', milliseconds: 31.4, bytes: 1200, status: 200 };

  test('is shown with its time, with --verbose', () => {
    const { terminal, err } = opened({ verbose: true });
    terminal.request(request);
    terminal.request({ request: 'WS ws://h/ws reset', milliseconds: 12_000 });
    expect(err.text).toBe(
      'GET http://h/health: HTTP 200, 1,200 bytes, 31 ms\nWS ws://h/ws reset: no response, 12,000 ms\n',
    );
  });

  test('is not shown without --verbose', () => {
    const { terminal, err } = opened();
    terminal.request(request);
    expect(err.text).toBe('');
  });
});

describe('colors', () => {
  test('are shown on a TTY', () => {
    const { terminal, err, out } = opened({}, true);
    terminal.warn('w');
    terminal.result('path', { text: 'create', color: 'green' });
    expect(err.text).toBe(`${ESC}[33mwarning:${ESC}[39m w\n`);
    expect(out.text).toBe(`${ESC}[32mcreate${ESC}[39m path\n`);
  });

  test.each([
    ['NO_COLOR', '1'],
    ['TERM', 'dumb'],
  ])('are off with %s=%s', (name, value) => {
    vi.stubEnv(name, value);
    const { terminal, err, out } = opened({ verbose: true }, true);
    terminal.warn('w');
    terminal.detail('d');
    terminal.result('path', { text: 'create', color: 'green' });
    expect(err.text + out.text).toBe('warning: w\nd\ncreate path\n');
  });

  test('are not written to a pipe, even if the other stream is a TTY', () => {
    const [out, err] = [new Stream(false), new Stream(true)] as unknown as NodeJS.WriteStream[];
    const terminal = new Terminal({ quiet: false, json: false, verbose: false }, out, err);
    terminal.result('path', { text: 'create', color: 'green' });
    expect((out as unknown as Stream).text).toBe('create path\n');
  });
});

describe('text of a server never controls the terminal', () => {
  const evil = `a${ESC}[2J${ESC}[8mb\x07\x08\r\u009b1m\x7f\u202ec${ESC}]0;title\x07\nd\te`;
  const safe = String.raw`a\u001b[2J\u001b[8mb\u0007\u0008\r\u009b1m\u007f\u202ec\u001b]0;title\u0007\nd\te`;

  test.each([true, false])('on a TTY: %s', (tty) => {
    const { terminal, out, err } = opened({ verbose: true }, tty);
    terminal.result(evil);
    terminal.note(evil);
    expect(out.text).toBe(`${safe}\n`);
    expect(err.text).toBe(`${safe}\n`);
    terminal.warn(evil);
    terminal.detail(evil);
    expect(steering(err.text)).toEqual([]);
  });

  test('in JSON and in error messages', () => {
    const { terminal, out, err } = opened({ json: true }, true);
    showError(new UserError(evil, { where: evil, fix: evil, details: [evil] }), terminal);
    expect(steering(out.text + err.text)).toEqual([]);
    expect(JSON.parse(out.text).error.what).toBe(evil);
  });
});

describe('a failure', () => {
  test('that the user can fix: problem, place and fix, without a stack', () => {
    const { terminal, err } = opened();
    const error = new UserError('no', {
      where: 'http://h',
      fix: 'mend it',
      details: ['one', 'two'],
      cause: new Error('why'),
    });
    expect(showError(error, terminal)).toBe(2);
    expect(err.text).toBe('error: no\n  - one\n  - two\n  at:  http://h\n  fix: mend it\n');
  });

  test('shows its cause with --verbose', () => {
    const { terminal, err } = opened({ verbose: true });
    showError(new UserError('no', { cause: new Error('why') }), terminal);
    expect(err.text).toMatch(/cause: Error: why\n\s+at /);
  });

  test('of gymgen is a bug: its stack, and a request to report it', () => {
    const { terminal, err } = opened({ quiet: true });
    expect(showError(new TypeError('x is undefined'), terminal)).toBe(2);
    expect(err.text).toMatch(/^error: TypeError: x is undefined\n\s+at [\s\S]*bug in gymgen: please report/);
  });

  test.each(['text', null, undefined, { a: 1 }])('that is not an Error is a bug: %j', (thrown) => {
    const { terminal, err } = opened();
    expect(showError(thrown, terminal)).toBe(2);
    expect(err.text).toContain('bug in gymgen');
  });

  test.each([
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ] as const)('by %s ends with %d', (signal, code, told) => {
    const { terminal, err } = opened();
    expect(showError(new Interrupted(signal), terminal)).toBe(code);
    expect(err.text).toBe(`error: ${told}\n`);
  });

  test('with --json: one document', () => {
    const { terminal, out } = opened({ json: true });
    showError(new UserError('no', { where: 'w' }), terminal);
    expect(JSON.parse(out.text)).toEqual({
      error: { what: 'no', code: 'failed', where: 'w', details: [] },
      exitCode: 2,
    });
  });
});

describe('a failure of stdout', () => {
  const fail = (code: string, isTTY = false) => {
    const { out, err } = opened();
    Object.assign(out, { isTTY });
    mayClose({ stdout: out, stderr: err } as never);
    out.emit('error', Object.assign(new Error(code), { code, syscall: 'write' }));
    out.emit('error', Object.assign(new Error(code), { code, syscall: 'write' }));
    return err.text;
  };
  const before = process.listeners('exit');
  afterEach(() => {
    for (const listener of process.listeners('exit')) if (!before.includes(listener)) process.off('exit', listener);
  });

  test.each([
    ['EPIPE', false],
    ['EIO', true],
  ])('%s of a pipe or terminal that closed is not reported', (code, isTTY) => expect(fail(code, isTTY)).toBe(''));

  test.each(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])('%s is reported once, with a fix', (code) => {
    expect(fail(code)).toMatch(/^error: cannot write to standard output: .*\n {2}fix: .*\n$/);
    expect(fail(code)).toContain(code);
  });

  test('anything else is a bug', () => expect(() => fail('ERR_X')).toThrow());
});
