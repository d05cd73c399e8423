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

/** A text of the server in a message: in single quotes, cut, and with nothing that moves a terminal's cursor. */
export function quote(text: string): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `'${JSON.stringify(cut)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, unicodeEscape)}'`;
}

/** `\u2028` for U+2028, as JSON and YAML write it. */
export function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
