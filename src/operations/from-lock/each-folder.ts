import { withoutCredentials } from '../../credentials.js';
import { Interrupted, UserError } from '../../errors.js';
import { HttpStatusError, Unreachable } from '../../openenv/index.js';
import { flagOf, isGenerateOption, optionsOf } from '../../options/index.js';
import { gymgenCommand, shellQuote } from '../../printed-command.js';
import { serveExampleCommand } from '../example.js';
import type { GenerateRequest } from '../generate.js';
import type { WriteRequest } from '../write.js';
import type { LockedRoot } from './requests.js';

/** How the work on one folder ended. */
export type FolderOutcome<Report> = { name: string } & (
  | { report: Report; request: WriteRequest; error?: undefined }
  | { report?: undefined; request?: undefined; error: UserError }
);

/**
 * Works on several folders one after the other, and continues if one fails.
 * @throws the error of the only folder, an interruption, or a bug
 */
export async function* eachFolder<Report>(
  { requests, unusable }: LockedRoot,
  work: (request: WriteRequest) => Promise<Report>,
): AsyncGenerator<FolderOutcome<Report>> {
  const isOnly = requests.length + unusable.length === 1;
  for (const request of requests) {
    const name = request.name ?? withoutCredentials(request.source);
    try {
      yield { request, name, report: await work(request) };
    } catch (thrown) {
      const error = withOptionHint(withExampleHint(withHeaderHint(thrown, request), request), request);
      if (isOnly || !(error instanceof UserError) || error instanceof Interrupted) throw error;
      yield { name, error };
    }
  }
  for (const folder of unusable) {
    if (isOnly) throw folder.error;
    yield folder;
  }
}

/**
 * If a server denies a request that lacks the config's headers, adds the options that send them. gymgen sends a header
 * that a lock file names only if the command line names it, too.
 */
export function withHeaderHint(error: unknown, { source, gym, discover }: GenerateRequest): unknown {
  const unsent = Object.entries(gym.headers).filter(([name]) => !(name in discover.headers));
  if (!(error instanceof UserError) || unsent.length === 0 || !isDenied(error)) return error;
  const headers = unsent.map(([name, value]) => `--header-env ${shellQuote(`${name}=${value}`)}`);
  return error.with({
    fix: `if you trust this server with the header, add: --source ${shellQuote(source)} ${headers.join(' ')}`,
  });
}

/** Names the command that serves the built-in example, if its server does not run. */
function withExampleHint(error: unknown, { name = '', source }: GenerateRequest): unknown {
  const command = error instanceof Unreachable ? serveExampleCommand(name, source) : undefined;
  return command === undefined ? error : (error as Unreachable).with({ fix: `in another terminal, run: ${command}` });
}

/** Adds the command that takes an option which a fix names, if the lock file decides that option. */
function withOptionHint(error: unknown, { gymRoot, name, keepSettings }: GenerateRequest): unknown {
  if (!keepSettings || !(error instanceof UserError)) return error;
  const accepted = optionsOf('update').map((option) => option.name);
  const decided = optionsOf('write').filter(
    (option) => isGenerateOption(option.name) && !accepted.includes(option.name),
  );
  const texts = [error.fix ?? '', ...error.details].join('\n');
  const words = new Set(texts.match(/--[a-z]+(?:-[a-z]+)*/g) ?? []);
  if (!decided.some((option) => words.has(flagOf(option.name)))) return error;
  const command = gymgenCommand`<source> ${gymRoot} --name ${name ?? ''}`;
  const hint = `the lock file decides these options, so pass them to ${command}`;
  return error.with({ fix: error.fix === undefined ? hint : `${error.fix}; ${hint}` });
}

/** Whether the server answered a request or the WebSocket handshake with HTTP 401 or 403. See `handshakeFailure`. */
function isDenied(error: UserError): boolean {
  if (error instanceof HttpStatusError) return error.status === 401 || error.status === 403;
  return /HTTP 40[13]$/.test(error.message);
}
