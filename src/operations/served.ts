import { withoutCredentials } from '../credentials.js';
import { isReachable, parseServerUrl, Unreachable } from '../openenv/index.js';
import { currentConfig } from '../written/index.js';
import { serveExampleCommand } from './example.js';

/**
 * Connects to the environment's server of each written server. NeMo Gym needs half a minute to find out that one is down.
 * @throws UserError if a server does not accept connections, or its URL is invalid
 */
export async function assertServed(gymRoot: string, folders: readonly { name: string }[]): Promise<void> {
  for (const { name } of folders) {
    const { url } = await currentConfig(gymRoot, name);
    if (url === undefined || (await isReachable(parseServerUrl(url).http))) continue;
    const where = withoutCredentials(url);
    const command = serveExampleCommand(name, url);
    throw new Unreachable("the environment's server does not answer", {
      where,
      fix:
        command === undefined ? `start the server at ${where}` : `add --demo, or run in another terminal: ${command}`,
    });
  }
}
