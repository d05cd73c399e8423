/**
 * A text as a URL; undefined if it is none. Not by `URL.canParse`, which calls some valid URLs with non-ASCII letters
 * invalid once V8 has optimised its caller (Node 20).
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
