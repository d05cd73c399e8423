import { describe, expect, test } from 'vitest';
import { maskCredentials, withoutCredentials } from '../src/credentials.js';

const PASSWORD = 'hunter2';

describe('credentials in any text', () => {
  test.each([
    ['at http://u:hunter2@h:80/x', 'at http://…@h:80/x'],
    ['HTTPS://hunter2@h', 'HTTPS://…@h'],
    ['wss://u:a:hunter2@h and ws://v:hunter2@i', 'wss://…@h and ws://…@i'],
    ['http://u:p@hunter2@h', 'http://…@h'],
    ['//u:hunter2@x', '//…@x'],
    ["there is no 'u:hunter2@h:80'", "there is no '…@h:80'"],
    ['http:u:hunter2@h', '…@h'],
    ['http:/u:hunter2@h', 'http:/…@h'],
    ['http://u:hun\nter2@h', 'http://…@h'],
    ['http://h/?access_token=hunter2&x=1#f', 'http://h/?access_token=…&x=1#f'],
    ['http://h/?a=1&API_KEY=hunter2', 'http://h/?a=1&API_KEY=…'],
  ])('%j is shown as %s', (text, shown) => {
    expect(maskCredentials(text)).toBe(shown);
  });

  test.each([
    "task '@local/grid/day-1' of http://127.0.0.1:8000: x",
    '{"split":"train","index":0,"task_id":"@local/grid/day-1","url":"https://h.example","by":"@me"}',
    'mail a@b.example at 12:30',
    'git@host',
    'http://h/?page=2&q=a@b',
    'node_modules/@scope/name:1',
  ])('%j is unchanged', (text) => {
    expect(maskCredentials(text)).toBe(text);
  });
});

describe('credentials in a source', () => {
  test.each([
    ['http://u:hunter2@h:80/b', 'http://…@h:80/b'],
    ['http://u:hun ter2@h', 'http://…@h'],
    ['http://u:a/hunter2@h', 'http://…@h'],
    ['http://u:a?hunter2#b@h', 'http://…@h'],
    ['ftp://u:"hunter2"@h', 'ftp://…@h'],
    ['\\\\u:hunter2@h', '\\\\…@h'],
    ['//u:a/hunter2@h', '//…@h'],
    ['user:a b/hunter2@h:80', '…@h:80'],
    ['my user:hunter2@h', '…@h'],
    ['http:u:hunter2@h', '…@h'],
    ['http://h/?token=hunter2', 'http://h/?token=…'],
  ])('%j is shown as %s', (source, shown) => {
    expect(withoutCredentials(source)).toBe(shown);
    expect(shown).not.toContain(PASSWORD);
  });

  test.each([
    'http://h:80/@a/b',
    './@local/grid',
    '@local/grid',
    'C:\\a',
    'hf:owner/name',
    'grid-v1',
    '/srv/a@b',
    'a@b',
  ])('%j is unchanged', (source) => {
    expect(withoutCredentials(source)).toBe(source);
  });
});
