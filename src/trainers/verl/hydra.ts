import { withoutInterpolation } from '../../gym/index.js';

/** A path or a word that Hydra reads as a text. */
const PLAIN = /^(?:[\w.-]*(?:\/[\w.-]*)+|(?!(?:true|false|null|nan|inf)$)[a-z][a-z0-9_]*)$/;

/** A value of an override of Hydra: quoted, because paths and names may have characters of its grammar. */
export function hydraValue(text: string): string {
  if (PLAIN.test(text)) return text;
  // A quoted value ends at its quote. A backslash counts only before a quote; OmegaConf interpolates `${…}` also in quotes.
  const quoted = text.replace(/(?<!\\)(\\*)('|$)/g, (_, slashes: string, quote: string) => {
    return `${slashes}${slashes}${quote === '' ? '' : "\\'"}`;
  });
  return `'${withoutInterpolation(quoted)}'`;
}

export function hydraList(texts: readonly string[]): string {
  return `[${texts.map(hydraValue).join(',')}]`;
}
