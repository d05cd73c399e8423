import type http from 'node:http';
import { parseUrl } from '../credentials.js';
import { UserError } from '../errors.js';
import { basicAuth } from './url.js';

/** The HTTP proxy that the environment names for a server. */
export interface HttpProxy {
  url: URL;
  /** Without its user and password, for messages. */
  shown: string;
  /** The variable that names the proxy, such as `HTTPS_PROXY`. */
  variable: string;
}

/** Never proxied: servers that gymgen starts itself listen there. */
const LOOPBACK = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/i;

/**
 * The proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY for a server, unless NO_PROXY excludes the server. The lower-case names
 * win, as for curl and Python.
 * @param server an http, https, ws or wss URL
 * @throws UserError if the variable's value is not the URL of an HTTP proxy; the value may hold a password and is not shown
 */
export function proxyFor(server: string): HttpProxy | null {
  const { protocol, hostname, port } = new URL(server);
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  if (LOOPBACK.test(hostname) || excluded(hostname, port || (isSecure ? '443' : '80'))) return null;
  const variable = [isSecure ? 'https_proxy' : 'http_proxy', 'all_proxy']
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => process.env[name]);
  if (variable === undefined) return null;
  const value = process.env[variable] as string;
  const text = value.includes('://') ? value : `http://${value}`;
  const parts = { fix: `set ${variable}=http://HOST:PORT, or add ${hostname} to NO_PROXY` };
  const url = parseUrl(text);
  if (!url) throw new UserError(`${variable} is not the URL of a proxy`, parts);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UserError(`${variable} names a ${url.protocol.slice(0, -1)} proxy, which gymgen does not support`, parts);
  }
  return { url, shown: url.origin, variable };
}

/**
 * Whether NO_PROXY excludes a host. It lists names, separated by commas or spaces, optionally with a port. Each also matches
 * its subdomains, and `*` matches everything.
 */
function excluded(hostname: string, port: string): boolean {
  const names = (process.env.no_proxy || process.env.NO_PROXY || '').toLowerCase().split(/[,\s]+/);
  return names.some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, onPort] = /^(.+?):(\d+)$/.exec(entry) ?? [];
    const suffix = name.replace(/^\*?\.?/, '');
    if (suffix === '' || (onPort !== undefined && onPort !== port)) return false;
    const host = hostname.replace(/^\[|\]$/g, '');
    return host === suffix.replace(/^\[|\]$/g, '') || host.endsWith(`.${suffix}`);
  });
}

/**
 * An agent for requests through a proxy.
 * @param tunnel connect through the proxy, as TLS and WebSockets need; otherwise the proxy forwards each request
 */
export async function proxyAgent(
  { url }: HttpProxy,
  tunnel: boolean,
  options: http.AgentOptions & { signal: AbortSignal },
): Promise<http.Agent> {
  const { HttpProxyAgent, HttpsProxyAgent } = await import('./proxy-agents.js');
  // A header, because the agents write the URL to the log that DEBUG enables.
  const login = basicAuth(url);
  const own = { ...options, headers: login === undefined ? {} : { 'Proxy-Authorization': login } };
  return tunnel ? new HttpsProxyAgent(url.origin, own) : new HttpProxyAgent(url.origin, own);
}

/** Calls `refused` if the proxy refuses to connect a request to its server. */
export function onProxyRefusal(
  request: http.ClientRequest,
  proxy: HttpProxy,
  requestLine: string,
  refused: (error: UserError) => void,
): void {
  request.on('proxyConnect', ({ statusCode }: { statusCode?: number }) => {
    if (statusCode !== undefined && statusCode !== 200) refused(proxyRefusal(proxy, statusCode, requestLine));
  });
}

export function proxyRefusal({ shown, variable }: HttpProxy, status: number, requestLine: string): UserError {
  const host = new URL(requestLine.slice(requestLine.indexOf(' ') + 1)).hostname;
  if (status === 407) {
    return new UserError(`the proxy ${shown} requires a login (HTTP 407)`, {
      where: requestLine,
      fix: `put the user and password into ${variable}: http://USER:PASSWORD@HOST:PORT`,
    });
  }
  return new UserError(`the proxy ${shown} refused to connect (HTTP ${status})`, {
    where: requestLine,
    fix: `allow ${host} on the proxy, or add it to NO_PROXY`,
  });
}
