import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/errors.js';
import { parseServerUrl } from '../../src/openenv/index.js';

const forms: [given: string, http: string, ws: string][] = [
  ['http://h:8000', 'http://h:8000', 'ws://h:8000/ws'],
  ['http://h:8000/', 'http://h:8000', 'ws://h:8000/ws'],
  ['http://h:8000//', 'http://h:8000', 'ws://h:8000/ws'],
  ['  http://h:8000\n', 'http://h:8000', 'ws://h:8000/ws'],
  ['HTTPS://Host/', 'https://host', 'wss://host/ws'],
  ['ws://h/ws', 'http://h', 'ws://h/ws'],
  ['wss://h/base/ws/', 'https://h/base', 'wss://h/base/ws'],
  ['http://h/base', 'http://h/base', 'ws://h/base/ws'],
  ['http://h/Base/a%20b/', 'http://h/Base/a%20b', 'ws://h/Base/a%20b/ws'],
  ['http://h/docs', 'http://h', 'ws://h/ws'],
  ['http://h/web/', 'http://h', 'ws://h/ws'],
  ['http://h/base/health', 'http://h/base', 'ws://h/base/ws'],
  ['http://h/docs/base', 'http://h/docs/base', 'ws://h/docs/base/ws'],
  ['http://h:80', 'http://h', 'ws://h/ws'],
  ['https://h:443', 'https://h', 'wss://h/ws'],
  ['ws://h:80/ws', 'http://h', 'ws://h/ws'],
  ['wss://h:443/ws', 'https://h', 'wss://h/ws'],
  ['http://h:443', 'http://h:443', 'ws://h:443/ws'],
  ['http://[::1]:8000/', 'http://[::1]:8000', 'ws://[::1]:8000/ws'],
  ['http://[2001:DB8::0:1]/x', 'http://[2001:db8::1]/x', 'ws://[2001:db8::1]/x/ws'],
  ['http://bücher.example', 'http://xn--bcher-kva.example', 'ws://xn--bcher-kva.example/ws'],
];

test.each(forms)('%s', (given, http, ws) => {
  expect(parseServerUrl(given)).toEqual({ http, ws, headers: {}, notes: [] });
});

test('a query and a fragment are left out, with a note', () => {
  const { http, ws, notes } = parseServerUrl('http://h/base/?token=secret#top');
  expect([http, ws]).toEqual(['http://h/base', 'ws://h/base/ws']);
  expect(notes).toHaveLength(1);
  expect(notes[0]).not.toContain('secret');
});

const credentials: [url: string, pair: string][] = [
  ['http://user:pa%20ss@h', 'user:pa ss'],
  ['http://user@h', 'user:'],
  ['http://:token@h', ':token'],
  ['http://%C3%A9:%25@h', 'é:%'],
  // An invalid escape is kept as it is, as in curl.
  ['http://a%zz:b%@h', 'a%zz:b%'],
];

test.each(credentials)('the credentials of %s become a header, and appear nowhere else', (given, pair) => {
  const { headers, ...rest } = parseServerUrl(given);
  expect(headers).toEqual({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  expect(rest).toMatchObject({ http: 'http://h', ws: 'ws://h/ws' });
  expect(rest.notes[0]).toContain('--header-env');
});

describe('an invalid URL is refused, without showing its credentials', () => {
  test.each([
    '',
    'localhost',
    '/a/path',
    'http://',
    'http://h:99999',
    'http://[::1',
    'file:///etc/passwd',
    'ftp://user:hunter2@host/x',
    'http://user:hunter2@host:port',
    'mailto:user:hunter2@host',
    'http://user:a/hunter2@host',
    'http://user:hunter2/b@host',
    'user:hunter2@host:8000',
  ])('%s', (given) => {
    const parse = () => parseServerUrl(given);
    expect(parse).toThrow(UserError);
    expect(parse).not.toThrow(/hunter2/);
  });
});
