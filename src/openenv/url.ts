import { parseUrl, withoutCredentials } from '../credentials.js';
import { UserError } from '../errors.js';

/** Where an OpenEnv server is: the base of its HTTP routes and its websocket, without credentials, query or final slash. */
export interface ServerUrl {
  /** Such as `http://127.0.0.1:8000` or `https://host/base`. */
  http: string;
  /** Such as `ws://127.0.0.1:8000/ws`. */
  ws: string;
  /** `Authorization` where the URL had a user and password; never written anywhere. */
  headers: Record<string, string>;
  /** What was taken off the URL, for the user to know. */
  notes: string[];
}

const SCHEMES: Record<string, 'http' | 'https'> = {
  'http:': 'http',
  'https:': 'https',
  'ws:': 'http',
  'wss:': 'https',
};

/** Pages of an OpenEnv server that people copy from their browser or from a client's code. */
const PAGES = /\/(ws|web|docs|health)$/;
const LAST_SLASHES = /(?<!\/)\/+$/;

/**
 * Reads a server's URL in any of the forms that people have: other case, `ws://…/ws`, final slashes, a base path.
 * @throws UserError where it is no http, https, ws or wss URL
 */
export function parseServerUrl(text: string): ServerUrl {
  const url = parseUrl(text);
  if (!url) {
    throw new UserError(`not a URL: ${withoutCredentials(text)}`, { fix: 'give the server as http://HOST:PORT' });
  }
  const scheme = SCHEMES[url.protocol];
  if (!scheme || !url.hostname) {
    throw new UserError(`not a URL of an OpenEnv server: ${withoutCredentials(text)}`, {
      fix: 'use http://, https://, ws:// or wss:// with a host',
    });
  }
  const notes: string[] = [];
  const headers: Record<string, string> = {};
  if (url.username || url.password) {
    const pair = `${unescaped(url.username)}:${unescaped(url.password)}`;
    headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    notes.push('the user and password of the URL are used for probing only, and not written: see --header-env');
  }
  if (url.search || url.hash) notes.push('the query and fragment of the URL are left out: OpenEnv has no use for them');
  const path = url.pathname.replace(LAST_SLASHES, '').replace(PAGES, '').replace(LAST_SLASHES, '');
  // URL drops a port that is the scheme's default, but judges ws and wss as well as http and https alike.
  return {
    http: `${scheme}://${url.host}${path}`,
    ws: `${scheme === 'https' ? 'wss' : 'ws'}://${url.host}${path}/ws`,
    headers,
    notes,
  };
}

/** A `%` that begins no escape stands for itself, as it does in curl. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
