import { parseUrl, withoutCredentials } from '../credentials.js';
import { UserError } from '../errors.js';

/** The URLs of an OpenEnv server's HTTP routes and WebSocket, without credentials, query or trailing slash. */
export interface ServerUrl {
  /** Such as `http://127.0.0.1:8000` or `https://host/base`. */
  http: string;
  /** Such as `ws://127.0.0.1:8000/ws`. */
  ws: string;
  /** `Authorization` if the URL has a user and password. Never written anywhere. */
  headers: Record<string, string>;
  /** Parts of the URL that are ignored or not written, for the user. */
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
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/**
 * Parses a server's URL in any usual form: upper case, `ws://…/ws`, trailing slashes, a base path.
 * @throws UserError if it is not an http, https, ws or wss URL
 */
export function parseServerUrl(text: string): ServerUrl {
  const url = parseUrl(text);
  if (!url) {
    throw new UserError(`not a URL: ${withoutCredentials(text)}`, { fix: 'pass the server as http://HOST:PORT' });
  }
  const scheme = SCHEMES[url.protocol];
  if (!scheme || !url.hostname) {
    throw new UserError(`not a URL of an OpenEnv server: ${withoutCredentials(text)}`, {
      fix: 'use http://, https://, ws:// or wss:// with a host',
    });
  }
  const notes: string[] = [];
  const headers: Record<string, string> = {};
  const login = basicAuth(url);
  if (login !== undefined) {
    headers.Authorization = login;
    notes.push('the user and password in the URL are used for probing only and never written; see --header-env');
  }
  if (url.search || url.hash) notes.push('the query and fragment of the URL are ignored: OpenEnv does not use them');
  const path = url.pathname.replace(TRAILING_SLASHES, '').replace(PAGES, '').replace(TRAILING_SLASHES, '');
  // `host` has no port if it is the default of the scheme. ws and http have the same default, and so do wss and https.
  return {
    http: `${scheme}://${url.host}${path}`,
    ws: `${scheme === 'https' ? 'wss' : 'ws'}://${url.host}${path}/ws`,
    headers,
    notes,
  };
}

/** The header value for the user and password of a URL; undefined if there are none. */
export function basicAuth({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64')}`;
}

/** Decodes percent escapes. A text with an invalid escape is kept as it is, as in curl. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
