import type { OnRequest, SentRequest } from '../reporter.js';

/**
 * Reports a request and its duration when the request has ended.
 * @param facts of the response
 */
export async function reportRequest<T>(
  request: string,
  work: Promise<T>,
  sent: OnRequest | undefined,
  facts: (response: T) => Pick<SentRequest, 'bytes' | 'status'>,
): Promise<T> {
  if (sent === undefined) return work;
  const began = performance.now();
  const report = (more: Partial<SentRequest>) => sent({ request, milliseconds: performance.now() - began, ...more });
  try {
    const response = await work;
    report(facts(response));
    return response;
  } catch (error) {
    report({});
    throw error;
  }
}
