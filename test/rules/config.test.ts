import { describe, expect, it } from 'vitest';
import { configFields, configHeaders, configSize, configText, configUrl } from '../../src/rules/index.js';
import { codes } from './support.js';

it.each([
  ['http://127.0.0.1:8000', []],
  ['https://host/base', []],
  ['https://host/base?x=1', ['config-url']],
  ['http://h/ws?token=abc#x', ['config-url']],
  ['http://h/#token', ['config-url']],
  ['http://h/?', ['config-url']],
  ['ws://[::1]:80/ws', []],
  ['127.0.0.1:8000', ['config-url']],
  ['ftp://host', ['config-url']],
  ['', ['config-url']],
  ['http://user:secret@host', ['config-url']],
])('findings for the URL %j: %j', (url, expected) => {
  expect(codes(configUrl(url))).toEqual(expected);
});

it('refuses ??? and lone surrogates in texts', () => {
  expect(codes(configText('x', '???'))).toEqual(['config-missing']);
  expect(codes(configText('x', '\udfff'))).toEqual(['config-text']);
  expect(configText('x', '????')).toEqual([]);
});

it.each([
  [{ Authorization: 'Bearer $HF_TOKEN', 'X-A': '' }, []],
  [{ 'a b': 'x' }, ['config-header']],
  [{ '': 'x' }, ['config-header']],
  [{ A: 'x\r\nB: y' }, ['config-header']],
  [{ 'Sec-WebSocket-Key': 'x' }, ['config-header']],
  [{ a: 'x', A: 'y' }, ['config-header']],
  [{ A: '???' }, ['config-missing']],
])('findings for the headers %j: %j', (headers, expected) => {
  expect(codes(configHeaders(headers))).toEqual(expected);
});

describe('fields of an action', () => {
  it.each([
    [{ a: '1.0', 'Größe_1.x-y': '{"b":[null,"c"]}' }, []],
    [{ a: 'x' }, ['config-field']],
    [{ 'a b': '1' }, ['config-field']],
    [{ '${a}': '1' }, ['config-field']],
    [{ a: '"???"' }, ['config-field']],
    [{ a: '{"b":["???"]}' }, ['config-field']],
  ])('findings for %j: %j', (fixed, expected) => {
    expect(codes(configFields(fixed))).toEqual(expected);
  });
});

it('bounds the size of the config in bytes', () => {
  expect(configSize('x'.repeat(112 * 1024))).toEqual([]);
  expect(codes(configSize('é'.repeat(60 * 1024)))).toEqual(['config-size']);
});
