import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Digest, hashFile } from '../../src/output/hash.js';
import { tempFolder, userSettings } from './support/gym-root.js';

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

test('the hash of a file leaves out settings, with LF and CRLF', async () => {
  const file = join(tempFolder(), 'a.yaml');
  for (const text of ['a\n  max_steps: 5\nb\n', 'a\r\n  max_steps: 9\r\nb\r\n', 'a\nb\n']) {
    writeFileSync(file, text);
    expect(await hashFile(file, userSettings('', /^\s*max_steps:/))).toBe(sha256('a\nb\n'));
  }
});
