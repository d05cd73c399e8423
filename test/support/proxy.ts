import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';

export interface TestProxy {
  port: number;
  /** Requests as they were received: `GET http://env.test/health`, `CONNECT env.test:80`. */
  asked: string[];
  logins: (string | undefined)[];
}

/** An HTTP proxy that connects every host to one local port. With `status`, it refuses every request. */
export async function startProxy(target: number, status?: number): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const found: TestProxy = { port: 0, asked: [], logins: [] };
  const server = createServer((asked, answer) => {
    found.asked.push(`${asked.method} ${asked.url}`);
    found.logins.push(asked.headers['proxy-authorization']);
    if (status !== undefined) return answer.writeHead(status).end('proxy says no');
    const { pathname, search } = new URL(asked.url as string);
    const { method, headers } = asked;
    const on = request(
      { host: '127.0.0.1', port: target, method, headers, path: pathname + search, agent: false },
      (back) => {
        answer.writeHead(back.statusCode as number, back.headers);
        back.pipe(answer);
      },
    );
    return asked.pipe(on);
  });
  server.on('connect', (asked, client: Socket) => {
    found.asked.push(`CONNECT ${asked.url}`);
    found.logins.push(asked.headers['proxy-authorization']);
    if (status !== undefined) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const on = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      on.pipe(client).pipe(on);
    });
    for (const socket of [on, client]) socket.on('error', () => socket.destroy());
    client.on('close', () => on.destroy());
    on.on('close', () => client.destroy());
    return on;
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  found.port = (server.address() as AddressInfo).port;
  return found;
}

/** Sets the proxy variables for one test, and removes those of the machine. */
export function proxyEnv(variables: Record<string, string>): void {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toUpperCase(), '');
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}
