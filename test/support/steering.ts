const OWN_COLOURS = ['\x1b[31m', '\x1b[33m', '\x1b[39m', '\x1b[2m', '\x1b[22m'];
const MARKS = ['\x07', '\x08', '\r', '\x1b', '\x7f', '\u009b', '\u202e'];

/** The characters of an output that control a terminal, except gymgen's own colours. */
export function steering(output: string): string[] {
  const text = OWN_COLOURS.reduce((left, colour) => left.replaceAll(colour, ''), output);
  return MARKS.filter((mark) => text.includes(mark));
}
