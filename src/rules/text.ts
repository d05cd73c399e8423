import { maskCredentials } from '../credentials.js';
import { displayText } from '../display-text.js';

declare global {
  interface String {
    /** In every Node that gymgen runs on; TypeScript's ES2023 library doesn't list it yet. */
    isWellFormed(): boolean;
  }
}

const SHOWN = 60;

/** Whether a text has no lone surrogate, which is no UTF-8 and which orjson refuses even as an escape. */
export function wellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** A text of others in a message: on one line, in single quotes, cut, without credentials. */
export function quote(text: string): string {
  const masked = maskCredentials(text);
  const cut = masked.length > SHOWN ? `${masked.slice(0, SHOWN)}…` : masked;
  return `'${displayText(JSON.stringify(cut).slice(1, -1).replaceAll('\\"', '"'))}'`;
}
