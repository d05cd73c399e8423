const MASK = '…';

/** Every `user:password@` in a text, with and without a scheme, and the values of query parameters that hold secrets. */
export function maskCredentials(text: string): string {
  const masked = text.includes('@')
    ? text.replace(/\/\/[^ /?#\\"`<>]+@/g, `//${MASK}@`).replace(/[^\s/"'`()[\]{}<>,]+/g, withoutUserinfo)
    : text;
  return masked.includes('=') ? masked.replace(/([?&])([^=&?\s]*)=([^&#?\s"'`<>]*)/g, withoutSecret) : masked;
}

/** A run of characters such as `user:password@host:80`. */
function withoutUserinfo(run: string): string {
  const at = run.lastIndexOf('@');
  const colon = run.indexOf(':');
  return colon === -1 || colon >= at - 1 ? run : `${MASK}${run.slice(at)}`;
}

const SECRET = /token|secret|passw|pwd|api_?key|auth|signature|credential/i;

function withoutSecret(parameter: string, start: string, name: string): string {
  return SECRET.test(name) ? `${start}${name}=${MASK}` : parameter;
}

/**
 * A source or URL as a user gave it, without its credentials. What `maskCredentials` can't tell from other text, such as a
 * password with a blank or a slash, is masked here, since all of the text is one source.
 */
export function withoutCredentials(source: string): string {
  const [start = ''] = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*/i.exec(source) ?? [];
  const rest = source.slice(start.length);
  // What is not a URL may have been meant as one: its password can hold anything.
  const end = source.includes('://') && parseUrl(source) ? rest.search(/[/?#\\]/) : -1;
  const at = (end === -1 ? rest : rest.slice(0, end)).lastIndexOf('@');
  const hasUserinfo = at > 0 && (/:|[/\\]{2}/.test(start) || rest.slice(0, at).includes(':'));
  return maskCredentials(hasUserinfo ? `${start}${MASK}${rest.slice(at)}` : source);
}

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
