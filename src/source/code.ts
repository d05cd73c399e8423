import { realpath } from 'node:fs/promises';
import { resolveSource } from './resolve.js';

/**
 * What gymgen would run to serve a source.
 * @returns the real path of a bundle's or project's folder, or `installed:NAME`; undefined for a URL or a Space, which is
 * only asked
 * @throws UserError if the text names no source
 */
export async function codeOf(source: string): Promise<string | undefined> {
  const { kind } = await resolveSource(source);
  if (kind === 'url' || kind === 'space') return undefined;
  return realpath(source).catch(() => `installed:${source}`);
}
