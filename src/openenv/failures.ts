import type { IncomingMessage } from 'node:http';
import tls from 'node:tls';
import { maskCredentials } from '../credentials.js';
import { displayText } from '../display-text.js';
import { UserError } from '../errors.js';
import { type HttpProxy, proxyFor } from './proxy.js';
import { busyOf } from './retry-after.js';

const TLS = /CERT|TLS|SSL|EPROTO|ALTNAME|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** Error codes of a failed connection to a proxy. */
const NOT_CONNECTED = new Set('ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' '));

/** All sessions of the server are in use. Another try may find a free one. */
export class ServerFull extends UserError {
  override readonly name = 'ServerFull';
  constructor(
    where: string,
    readonly active: number | null | undefined,
    readonly max: number | null | undefined,
  ) {
    super(`the server is full: ${active ?? '?'} of its ${max ?? '?'} sessions are in use`, { where });
  }
}

/** The fix if a server denies a request. */
export const PASS_TOKEN = "if the server needs a token, pass it: --header 'Authorization: Bearer …'";

/** The server cannot be reached, or it closed the connection. Another try may succeed. */
export class Unreachable extends UserError {
  override readonly name = 'Unreachable';
  override readonly code = 'unreachable';
}

/**
 * The error for a failed connection.
 * @param requestLine the request, such as `GET http://127.0.0.1:8000/health`
 */
export function connectionFailure(requestLine: string, error: unknown, proxy: HttpProxy | null = null): UserError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const origin = new URL(requestLine.slice(requestLine.indexOf(' ') + 1)).origin.replace(/^ws/, 'http');
  const parts = { where: requestLine, cause: error };
  if (proxy && NOT_CONNECTED.has(code)) {
    return new Unreachable(`cannot connect to the proxy ${proxy.shown} (${code})`, {
      ...parts,
      fix: `correct ${proxy.variable}, or add ${new URL(origin).hostname} to NO_PROXY`,
    });
  }
  if (code === 'ECONNREFUSED') {
    return new Unreachable('connection refused', {
      ...parts,
      fix: `start the server, or correct the host and port; check with: curl ${origin}/health`,
    });
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new Unreachable(`unknown host name (${code})`, {
      ...parts,
      fix: 'correct the host name, or check DNS',
    });
  }
  if (TLS.test(code)) {
    return new UserError(`TLS failed: ${excerpt(message)}`, {
      ...parts,
      fix: message.includes('wrong version number')
        ? 'use http:// or ws://; the server speaks plain HTTP'
        : 'trust its certificate with NODE_EXTRA_CA_CERTS=/path/to/ca.pem, or use a host name in the certificate',
    });
  }
  if (code.startsWith('WS_ERR_')) {
    return new UserError(`the server violated the WebSocket protocol: ${excerpt(message)}`, {
      ...parts,
      fix: "look at the server's log",
    });
  }
  return new Unreachable(`the connection failed: ${excerpt(message) || code || String(error)}`, {
    ...parts,
    fix: `check that the server runs and answers: curl ${origin}/health`,
  });
}

/** The error for a handshake that the server answered with an ordinary HTTP response. */
export function handshakeFailure(url: string, response: IncomingMessage): UserError {
  response.destroy();
  const { statusCode = 0 } = response;
  const busy = busyOf(statusCode, response.headers['retry-after'], `WS ${url}`);
  if (busy) return busy;
  const location = response.headers.location;
  const fix =
    statusCode === 401
      ? PASS_TOKEN
      : statusCode === 403
        ? "check that it is an OpenEnv server; if it needs a token, pass it: --header 'Authorization: Bearer …'"
        : location
          ? `if you trust it, use the URL that the server redirects to: ${excerpt(location)}`
          : "look at the server's log";
  return new UserError(`the server refused the WebSocket: HTTP ${statusCode}`, { where: `WS ${url}`, fix });
}

/** The start of a server's text for a message, on one line, with white space collapsed and credentials masked. */
export function excerpt(text: string, length = 160): string {
  const start = maskCredentials(text.slice(0, length * 4));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed from messages
  const line = displayText(start.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

const TIMEOUT_MS = 2000;

/**
 * Explains a connection that was reset because the port speaks TLS, not plain HTTP.
 * @param url of the server
 * @returns any other error unchanged
 */
export async function tlsExplained(error: unknown, url: string): Promise<unknown> {
  const { protocol, hostname, port, host } = new URL(url);
  const isReset =
    error instanceof Unreachable && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
  if (!isReset || protocol !== 'http:' || proxyFor(url) !== null) return error;
  if (!(await speaksTls(hostname.replace(/^\[|\]$/g, ''), Number(port || 80)))) return error;
  return new UserError('the server speaks TLS, not plain HTTP', {
    ...(error.where === undefined ? {} : { where: error.where }),
    fix: `use https://${host}`,
    cause: error,
  });
}

function speaksTls(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Only the handshake is sent, so the certificate need not be trusted.
    const socket = tls.connect({ host, port, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    const end = (spoken: boolean) => {
      socket.destroy();
      resolve(spoken);
    };
    socket.once('secureConnect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
