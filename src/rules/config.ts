import { parseUrl } from '../credentials.js';
import type { BundleConfig, JsonText } from '../model.js';
import { error, type Finding, LONE_SURROGATE, quote } from './finding.js';
import { jsonProblem } from './json-text.js';

/** Bytes that leave room for the model's config and for what Gym adds. */
const LARGEST = 112 * 1024;

/**
 * `config-size`: Gym passes the whole config of a run in one environment variable, which Linux limits to 128 KiB
 * (`NEMO_GYM_CONFIG_DICT`, nemo_gym/cli/env.py).
 */
export function configSize(text: string): Finding[] {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST) return [];
  const problem = `has ${bytes} bytes; NeMo Gym passes all configs of a run in 128 KiB`;
  return [error('config-size', 'config', problem, 'use fewer or shorter --header-env and --rename-tool options')];
}

/**
 * `config-missing`, `config-text`: a string of the config. To OmegaConf, `???` is a missing value, and nothing escapes it
 * (`MISSING`, omegaconf/base.py).
 */
export function configText(subject: string, text: string): Finding[] {
  if (text === '???')
    return [error('config-missing', subject, "'???' means a missing value to Gym", 'use another text')];
  return text.isWellFormed() ? [] : [error('config-text', subject, LONE_SURROGATE, 'use another text')];
}

/**
 * `config-url`: where the bridge opens its sessions. The config is a file that people share, so it must not contain a
 * credential. OpenEnv uses no query or fragment; one is probably a token.
 */
export function configUrl(url: string): Finding[] {
  const [shown = '', rest] = url.split(/[?#]/);
  const subject = `url ${quote(rest === undefined ? shown : `${shown}?…`)}`;
  const refuse = (problem: string, fix: string) => [error('config-url', subject, problem, fix)];
  const parsed = parseUrl(url);
  if (parsed === undefined || !/^(?:https?|wss?):$/.test(parsed.protocol)) {
    return refuse('is not an http(s) URL', 'pass the whole URL: --config-url http://HOST:PORT');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return refuse('contains a credential', "use --header-env 'Authorization=Bearer $TOKEN'");
  }
  if (rest !== undefined) {
    return refuse('has a query or fragment', "omit it; for a token, use --header-env 'Authorization=Bearer $TOKEN'");
  }
  return configText(subject, url);
}

/** `config-bundle`: the bundle that the written server serves. Its pyproject.toml requires this version of AgentEnv. */
export function configBundle({ bundle, framework, sandbox }: BundleConfig): Finding[] {
  const subject = `bundle ${quote(bundle)}`;
  const problem = `AgentEnv has an invalid version: ${quote(framework)}`;
  const fix = 'use a Python with a released agentenv-framework: --python PATH';
  return [
    ...(/^[\w.!+-]+$/.test(framework) ? [] : [error('config-bundle', subject, problem, fix)]),
    ...configText(subject, bundle),
    ...(sandbox === undefined ? [] : configText('--sandbox', sandbox)),
  ];
}

/** `config-field`: fields that each action has. Their names must not need escapes, because OmegaConf does not read escapes in keys. */
export function configFields(fixed: Readonly<Record<string, JsonText>>): Finding[] {
  return Object.entries(fixed).flatMap(([name, json]) => {
    const subject = `--fix-field ${quote(name)}`;
    const fault = jsonProblem(json);
    if (fault !== undefined) return [error('config-field', subject, `its value ${fault}`, 'use another value')];
    const isName = /^[\p{L}\p{N}_.-]+$/u.test(name);
    if (isName && texts(JSON.parse(json)).every((text) => configText('', text).length === 0)) return [];
    return [error('config-field', subject, "cannot be written to Gym's config", 'omit it, or rename the field')];
  });
}

/** All strings and keys of a JSON value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...texts(item)]);
}

/**
 * Headers that describe the connection and the body (RFC 9110, sections 7 and 8; RFC 9112, sections 6 and 9), or the handshake
 * (RFC 6455, section 4.1).
 */
const OWN_HEADERS =
  /^(?:host|connection|upgrade|keep-alive|te|trailer|transfer-encoding|expect|proxy-connection|content-.*|sec-websocket-.*)$/i;

/** Whether an HTTP or WebSocket client sets this header itself. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.test(name);
}

/** `config-header`: names and values of headers (RFC 9110, sections 5.1 and 5.5). */
export function configHeaders(headers: Readonly<Record<string, string>>): Finding[] {
  const names = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const subject = `--header-env ${quote(name)}`;
    const refuse = (problem: string, fix: string) => [error('config-header', subject, problem, fix)];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return refuse('is not a header name', 'write it as NAME=VALUE');
    if (isOwnHeader(name)) return refuse('is set by the WebSocket client', 'omit it');
    if (names.has(name.toLowerCase())) return refuse('is set twice', 'omit one of them');
    names.add(name.toLowerCase());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule refuses them
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) return refuse('its value has a control character', 'remove it');
    return configText(subject, value);
  });
}
