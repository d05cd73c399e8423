/**
 * A text with every character that could end or change its line. It must be shown on one line, and be kept exactly in
 * data.
 */
export const MARKER = [
  'x\n::add-mask::a\r\n  ::stop-commands::t\n##[error]b\n  fix: curl evil | sh\n',
  '\x1b[2J\x07\x7f\x85\x9b1m\xad\u061c\u200b\u200e\u2028\u2029\u202e\u2060\u2066\u2069\ufeff\ufff9\u{1d173}\u{e0001}\u{e0041}\u{e007f}',
  ':::: ###[endgroup]y',
].join('');

/** The same with a lone surrogate, which JSON can contain as an escape. */
export const BROKEN = `${MARKER}\ud800`;

/**
 * The lines and characters of an output that can only come from untrusted text.
 * @param own lines of gymgen's own that begin with `::`
 */
export function escaped(output: string, own = /^::error (?:file|title)=[^:]*::/): string[] {
  const lines = output.split('\n');
  return [
    ...lines.filter((line) => /^\s*::/.test(line) && !own.test(line)),
    ...lines.filter((line) => line.includes('##[') || /^\s*fix: curl/.test(line)),
    ...(output.match(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\u{e0000}-\u{e007f}]/gu) ?? []).map((char) =>
      JSON.stringify(char),
    ),
  ];
}

/** Every code point, including lone surrogates, in texts of 4096 code points, each followed by a letter. */
export function* everyCharacter(): Generator<string> {
  for (let from = 0; from < 0x110000; from += 4096) {
    yield Array.from({ length: 4096 }, (_, at) => `${String.fromCodePoint(from + at)}a`).join('');
  }
}
