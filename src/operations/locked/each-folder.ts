import { withoutCredentials } from '../../credentials.js';
import { Interrupted, UserError } from '../../errors.js';
import type { WriteRequest } from '../write.js';
import { withHeaderHint } from './header-hint.js';

/** How the work on one folder ended. */
export type FolderOutcome<Report> = { request: WriteRequest; name: string } & (
  | { report: Report; error?: undefined }
  | { report?: undefined; error: UserError }
);

/**
 * Works on several folders one after the other, and continues if one fails.
 * @throws the error of the only folder, an interruption, or a bug
 */
export async function* eachFolder<Report>(
  requests: readonly WriteRequest[],
  work: (request: WriteRequest) => Promise<Report>,
): AsyncGenerator<FolderOutcome<Report>> {
  for (const request of requests) {
    const name = request.name ?? withoutCredentials(request.source);
    try {
      yield { request, name, report: await work(request) };
    } catch (thrown) {
      const error = withHeaderHint(thrown, request);
      if (requests.length === 1 || !(error instanceof UserError) || error instanceof Interrupted) throw error;
      yield { request, name, error };
    }
  }
}
