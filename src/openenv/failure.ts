import type { IncomingMessage } from 'node:http';
import { UserError } from '../errors.js';
import { excerpt } from './excerpt.js';
import type { HttpProxy } from './proxy.js';
import { busyOf } from './retry-after.js';

const TLS = /CERT|TLS|SSL|EPROTO|ALTNAME|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** Error codes of a failed connection to a proxy. */
const NOT_CONNECTED = new Set('ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' '));

/** The server cannot be reached, or it closed the connection. Another try may succeed. */
export class Unreachable extends UserError {
  override readonly name = 'Unreachable';
}

/**
 * The error for a failed connection.
 * @param asked the request, such as `GET http://127.0.0.1:8000/health`
 */
export function connectionFailure(asked: string, error: unknown, proxy: HttpProxy | null = null): UserError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const origin = new URL(asked.slice(asked.indexOf(' ') + 1)).origin.replace(/^ws/, 'http');
  const parts = { where: asked, cause: error };
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
    return new UserError(`the server violated the websocket protocol: ${excerpt(message)}`, {
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
      ? "if the server needs a token, pass it: --header 'Authorization: Bearer …'"
      : statusCode === 403
        ? "check that it is an OpenEnv server; if it needs a token, pass it: --header 'Authorization: Bearer …'"
        : location
          ? `if you trust it, use the URL that the server redirects to: ${excerpt(location)}`
          : "look at the server's log";
  return new UserError(`the server refused the websocket (HTTP ${statusCode})`, { where: `WS ${url}`, fix });
}
