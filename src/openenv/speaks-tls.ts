import tls from 'node:tls';
import { UserError } from '../errors.js';
import { Unreachable } from './failure.js';
import { proxyFor } from './proxy.js';

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
