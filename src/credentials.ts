const MASK = '…';

/**
 * Masks credentials in any text: each `user:password@`, with or without a scheme, and the values of query parameters whose
 * names suggest a secret.
 */
export function maskCredentials(text: string): string {
  const masked = text.includes('@')
    ? text.replace(/\/\/[^ /?#\\"`<>]+@/g, `//${MASK}@`).replace(/[^\s/"'`()[\]{}<>,]+/g, withoutUserinfo)
    : text;
  return masked.includes('=') ? masked.replace(/([?&])([^=&?\s]*)=([^&#?\s"'`<>]*)/g, withoutSecret) : masked;
}

/** Masks `user:password` in a word such as `user:password@host:80`. */
function withoutUserinfo(word: string): string {
  const at = word.lastIndexOf('@');
  const colon = word.indexOf(':');
  return colon === -1 || colon >= at - 1 ? word : `${MASK}${word.slice(at)}`;
}

const SECRET = /token|secret|passw|pwd|api_?key|auth|signature|credential/i;

function withoutSecret(parameter: string, start: string, name: string): string {
  return SECRET.test(name) ? `${start}${name}=${MASK}` : parameter;
}

/**
 * Masks the credentials of a text that consists of one source or URL. It also recognizes passwords with spaces or slashes,
 * which `maskCredentials` cannot tell from other text.
 */
export function withoutCredentials(source: string): string {
  const [start = ''] = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*/i.exec(source) ?? [];
  const rest = source.slice(start.length);
  // A mistyped URL may contain a password with any characters.
  const end = source.includes('://') && parseUrl(source) ? rest.search(/[/?#\\]/) : -1;
  const at = (end === -1 ? rest : rest.slice(0, end)).lastIndexOf('@');
  const hasUserinfo = at > 0 && (/:|[/\\]{2}/.test(start) || rest.slice(0, at).includes(':'));
  return maskCredentials(hasUserinfo ? `${start}${MASK}${rest.slice(at)}` : source);
}

/**
 * Parses a URL; undefined if it is invalid. `URL.canParse` is not used: in Node 20, it rejects some valid URLs with non-ASCII
 * letters once V8 has optimized its caller.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
