import { stringify } from 'yaml';
import { unicodeEscape } from '../rules/text.js';

/** What PyYAML refuses or drops when it stands raw: control characters, line ends, a byte order mark, non-characters. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * A text as a YAML scalar that reads as exactly that text, to YAML 1.1 and 1.2 and to OmegaConf, which interpolates `${…}`
 * in any string, quoted or not (`${oc.env:HOME}` would write the reader's home). Always quoted: `on`, `1e3`, `12:30` and
 * `0x1F` are no strings otherwise. A text that is exactly `???` can't be written; `configText` in `rules/` refuses it.
 */
export function yamlString(text: string): string {
  const options = { defaultStringType: 'QUOTE_DOUBLE', doubleQuotedAsJSON: true, lineWidth: 0 } as const;
  return stringify(withoutInterpolation(text), options).trimEnd().replace(UNSAFE, unicodeEscape);
}

/** OmegaConf's grammar: `\${` is a literal `${`, and backslashes before it count in pairs. */
function withoutInterpolation(text: string): string {
  return text.replace(/(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}
