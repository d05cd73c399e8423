import { connect } from 'node:net';
import { proxyFor } from './proxy.js';

/** Time for a connection. */
const CONNECT_MS = 3000;

/** Whether the host of a URL, or the proxy for it, accepts connections. */
export async function isReachable(url: string): Promise<boolean> {
  try {
    const { protocol, hostname, port } = proxyFor(url)?.url ?? new URL(url);
    if (protocol === 'file:') return true;
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'http:' ? 80 : 443),
    });
    return await new Promise<boolean>((resolve) => {
      socket.setTimeout(CONNECT_MS, () => resolve(false));
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    }).finally(() => socket.destroy());
  } catch {
    return false; // the proxy's variable is not a URL
  }
}
