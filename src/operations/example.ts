import { parseUrl } from '../credentials.js';
import { OPTIONS } from '../options/index.js';
import { gymgenCommand } from '../printed-command.js';

/** Whether a written server has the name of the built-in example. */
export const isExample = (name: string) => name.startsWith('gridsim');

/**
 * The command that serves the built-in example for a written server.
 * @param url in its config
 * @returns undefined for another environment, or another machine
 */
export function serveExampleCommand(name: string, url: string): string | undefined {
  const { hostname, port } = parseUrl(url) ?? {};
  if (!isExample(name) || !port || (hostname !== '127.0.0.1' && hostname !== 'localhost')) return undefined;
  return Number(port) === OPTIONS.port.default
    ? gymgenCommand`demo --serve`
    : gymgenCommand`demo --serve --port ${port}`;
}
