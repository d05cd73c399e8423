import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Different ports that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    servers.map(async (server) => {
      if (!server.listening) await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, 'close')));
  return ports;
}
