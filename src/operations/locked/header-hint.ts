import { UserError } from '../../errors.js';
import { HttpStatusError } from '../../openenv/index.js';
import { shellQuote } from '../../printed-command.js';
import type { GenerateRequest } from '../generate.js';

/**
 * Adds the missing option if a server denies a request without the headers of the config. The headers that a lock file names
 * are only sent if the command line names them, too.
 */
export function withHeaderHint(error: unknown, { source, gym, discover }: GenerateRequest): unknown {
  const unsent = Object.entries(gym.headers).filter(([name]) => !(name in discover.headers));
  if (!(error instanceof UserError) || unsent.length === 0 || !isDenied(error)) return error;
  const headers = unsent.map(([name, value]) => `--header-env ${shellQuote(`${name}=${value}`)}`);
  const { message, where, details, cause } = error;
  return new UserError(message, {
    ...(where === undefined ? {} : { where }),
    details,
    cause,
    fix: `name the server, and the header of its config: --source ${shellQuote(source)} ${headers.join(' ')}`,
  });
}

/** Whether the answer was HTTP 401 or 403, to a request or to the websocket handshake. */
function isDenied(error: UserError): boolean {
  if (error instanceof HttpStatusError) return error.status === 401 || error.status === 403;
  return /HTTP 40[13]$/.test(error.message);
}
