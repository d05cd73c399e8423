import type { IncomingMessage } from 'node:http';
import { UserError } from '../errors.js';
import { excerpt } from './excerpt.js';
import type { HttpProxy } from './proxy.js';
import { busyOf } from './retry-after.js';

const TLS = /CERT|TLS|SSL|EPROTO|ALTNAME|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** Failures of the one connection that there is through a proxy: to the proxy. */
const NOT_CONNECTED = new Set('ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' '));
/** Whether the server may answer when asked again: it isn't there, or it closed the connection. */
export class Unreachable extends UserError {
  override readonly name = 'Unreachable';
}

/**
 * A connection that failed, in words: what was asked of which URL, what came, and how to check.
 * @param asked such as `GET http://127.0.0.1:8000/health`
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
    return new Unreachable('nothing listens there: connection refused', {
      ...parts,
      fix: `start the server, or correct the host and port; check with: curl ${origin}/health`,
    });
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new Unreachable(`the host name is not known (${code})`, {
      ...parts,
      fix: 'correct the host, or check the DNS',
    });
  }
  if (TLS.test(code)) {
    return new UserError(`TLS failed: ${excerpt(message)}`, {
      ...parts,
      fix: message.includes('wrong version number')
        ? 'the server speaks plain HTTP: use http:// (or ws://)'
        : 'trust its certificate with NODE_EXTRA_CA_CERTS=/path/to/ca.pem, or use the name that it is for',
    });
  }
  if (code.startsWith('WS_ERR_')) {
    return new UserError(`the server broke the websocket's protocol: ${excerpt(message)}`, {
      ...parts,
      fix: "look at the server's log",
    });
  }
  return new Unreachable(`the connection failed: ${excerpt(message) || code || String(error)}`, {
    ...parts,
    fix: `check that the server runs and answers: curl ${origin}/health`,
  });
}

/** A websocket that was not opened: the server answered the handshake as an ordinary request. */
export function handshakeFailure(url: string, response: IncomingMessage): UserError {
  response.destroy();
  const { statusCode = 0 } = response;
  const busy = busyOf(statusCode, response.headers['retry-after'], `WS ${url}`);
  if (busy) return busy;
  const location = response.headers.location;
  const fix =
    statusCode === 401
      ? "does it need a token? Give one with --header 'Authorization: Bearer …'"
      : statusCode === 403
        ? 'it speaks another dialect than OpenEnv, or wants a token (--header)'
        : location
          ? `it redirects to ${excerpt(location)}: use that URL, if you trust it`
          : "look at the server's log";
  return new UserError(`the websocket was refused with HTTP ${statusCode}`, { where: `WS ${url}`, fix });
}
