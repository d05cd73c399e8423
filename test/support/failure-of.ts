import { UserError } from '../../src/errors.js';

/**
 * A failure as a user reads it: problem, details, place and fix. @throws if the promise succeeds, or fails with a bug
 */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message, details, where, fix } = error;
    return [message, ...details, where && `at: ${where}`, fix && `fix: ${fix}`].filter(Boolean).join('\n');
  }
  throw new Error('it did not fail');
}
