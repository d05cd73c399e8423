import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Digest, hashText } from '../../src/output/hash.js';

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

test.each([
  ['', ''],
  ['a\nb\n', 'a\nb\n'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['a\r', 'a\r'],
  ['a\rb\r\r\n\r', 'a\rb\r\n\r'],
  ['\r\n\r\n', '\n\n'],
])('%j is hashed as %j, in chunks of any size', (text, normal) => {
  for (let size = 1; size <= text.length + 1; size += 1) {
    const digest = new Digest();
    for (let at = 0; at < text.length; at += size) digest.update(Buffer.from(text.slice(at, at + size)));
    expect(digest.lines).toBe(normal.split('\n').length - 1);
    expect(digest.end()).toBe(sha256(normal));
  }
});

test('a hash leaves out lines that are settings, with LF and CRLF', () => {
  const settings = /^\s*max_steps:/;
  for (const text of ['a\n  max_steps: 5\nb\n', 'a\r\n  max_steps: 9\r\nb\r\n', 'a\nb\n']) {
    expect(hashText(text, settings)).toBe(sha256('a\nb\n'));
  }
});
