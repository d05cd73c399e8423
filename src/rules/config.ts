import { parseUrl } from '../credentials.js';
import type { BundleConfig } from '../model.js';
import { type Finding, quote, wellFormed } from './finding.js';
import { jsonFault } from './json-text.js';

/**
 * Linux takes 128 KiB in one environment variable, and the whole config of a run travels in one (nemo_gym/cli/env.py,
 * `NEMO_GYM_CONFIG_DICT`): this file, the model's, and what Gym adds.
 */
const LARGEST = 112 * 1024;

/** `config-size` */
export function configSize(text: string): Finding[] {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST) return [];
  return [
    {
      code: 'config-size',
      where: 'config',
      what: `has ${bytes} bytes, and NeMo Gym hands a config on in 128 KiB with the model's`,
      fix: 'use fewer or shorter --header-env and --rename-tool',
    },
  ];
}

/**
 * `config-missing`, `config-text`: a string of the config. One that is exactly `???` is a missing value to OmegaConf, quoted
 * or not, and nothing escapes it.
 */
export function configText(where: string, text: string): Finding[] {
  if (text === '???') {
    return [
      {
        code: 'config-missing',
        where,
        what: "is '???', which Gym's configs read as a missing value",
        fix: 'change it',
      },
    ];
  }
  if (!wellFormed(text)) {
    return [{ code: 'config-text', where, what: 'has a lone surrogate, which is no UTF-8', fix: 'change it' }];
  }
  return [];
}

/**
 * `config-url`: where the bridge opens its sessions. A credential would be in a file that people share. OpenEnv has no query
 * or fragment, so what is there is mostly a token.
 */
export function configUrl(url: string): Finding[] {
  const [shown = '', rest] = url.split(/[?#]/);
  const where = `url ${quote(rest === undefined ? shown : `${shown}?…`)}`;
  const refuse = (what: string, fix: string): Finding[] => [{ code: 'config-url', where, what, fix }];
  const parsed = parseUrl(url);
  if (parsed === undefined || !/^(?:https?|wss?):$/.test(parsed.protocol)) {
    return refuse('is no http(s) URL', 'give the whole URL: --config-url http://HOST:PORT');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return refuse('holds a credential, and the config is a file', "use --header-env 'Authorization=Bearer $TOKEN'");
  }
  if (rest !== undefined) {
    return refuse(
      'has a query or fragment',
      "leave it out; for a token, use --header-env 'Authorization=Bearer $TOKEN'",
    );
  }
  return configText(where, url);
}

/** `config-bundle`: what the written server serves. The version stands in its pyproject.toml too. */
export function configBundle({ bundle, framework, sandbox }: BundleConfig): Finding[] {
  const version: Finding[] = /^[\w.!+-]+$/.test(framework)
    ? []
    : [
        {
          code: 'config-bundle',
          where: `bundle ${quote(bundle)}`,
          what: `is served by AgentEnv ${quote(framework)}, which is no version`,
          fix: 'use a Python with a released agentenv-framework: --python PATH',
        },
      ];
  return [
    ...version,
    ...configText(`bundle ${quote(bundle)}`, bundle),
    ...(sandbox === undefined ? [] : configText('--sandbox', sandbox)),
  ];
}

/** `config-field`: fields that each action has. OmegaConf reads no `${…}` in a key, so that none may need an escape. */
export function configFields(fixed: Readonly<Record<string, string>>): Finding[] {
  return Object.entries(fixed).flatMap(([name, json]) => {
    const where = `--fix-field ${quote(name)}`;
    const fault = jsonFault(json);
    if (fault !== undefined) return [{ code: 'config-field', where, what: `its value ${fault}`, fix: 'change it' }];
    const bad =
      !/^[\p{L}\p{N}_.-]+$/u.test(name) || texts(JSON.parse(json)).find((text) => configText('', text).length > 0);
    if (!bad) return [];
    return [
      {
        code: 'config-field',
        where,
        what: "can't stand in Gym's config",
        fix: "leave it out, or mend the field's name",
      },
    ];
  });
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...texts(item)]);
}

/** What describes the connection and the body (RFC 9110, 7 and 8; RFC 9112, 6 and 9), or the handshake (RFC 6455, 4.1). */
const OWN_HEADERS =
  /^(?:host|connection|upgrade|keep-alive|te|trailer|transfer-encoding|expect|proxy-connection|content-.*|sec-websocket-.*)$/i;

/** Whether an HTTP or websocket client writes this header itself. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.test(name);
}

/** `config-header`: what a header's name and value may be (RFC 9110, 5.1 and 5.5). */
export function configHeaders(headers: Readonly<Record<string, string>>): Finding[] {
  const names = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const where = `--header-env ${quote(name)}`;
    const refuse = (what: string, fix: string): Finding[] => [{ code: 'config-header', where, what, fix }];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return refuse('is no header name', 'write it as NAME=VALUE');
    if (isOwnHeader(name)) return refuse('is a header of the websocket itself', 'leave it out');
    if (names.has(name.toLowerCase())) return refuse('is there twice', 'leave one out');
    names.add(name.toLowerCase());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) return refuse('its value has a control character', 'leave it out');
    return configText(where, value);
  });
}
