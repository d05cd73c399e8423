import type { NamedSource } from './types.js';

/** A server that runs already, and is somebody else's to end. */
export function urlSource(url: string): NamedSource {
  return { kind: 'url', open: async () => ({ url, close: async () => {} }) };
}
