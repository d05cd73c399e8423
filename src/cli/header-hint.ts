import { UserError } from '../errors.js';
import { HttpStatusError } from '../openenv/index.js';
import type { GenerateRequest } from '../operations/generate.js';
import { shellQuote } from '../printed-command.js';

/**
 * Adds the option that is missing if a server refuses a request without the headers that the config has. Those of a lock file
 * are never sent by themselves.
 * @param request made from a lock file
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

/** Whether the answer was HTTP 401 or 403, to a request or to the websocket's handshake. */
function isDenied(error: UserError): boolean {
  if (error instanceof HttpStatusError) return error.status === 401 || error.status === 403;
  return /HTTP 40[13]$/.test(error.message);
}
