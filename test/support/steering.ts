const OWN_COLORS = ['\x1b[31m', '\x1b[33m', '\x1b[39m', '\x1b[2m', '\x1b[22m'];
const MARKS = ['\x07', '\x08', '\r', '\x1b', '\x7f', '\u009b', '\u202e'];

/** The characters of an output that control a terminal, except gymgen's own colors. */
export function steering(output: string): string[] {
  const text = OWN_COLORS.reduce((left, color) => left.replaceAll(color, ''), output);
  return MARKS.filter((mark) => text.includes(mark));
}
