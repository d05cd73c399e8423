import instantiate from '../long-strings.wat';

/** As long-strings.wat has it, in bytes. */
const WINDOW = 64 * 1024;
const TEXT = 64;
const BEFORE = 2;
const BLANKS = 16;
const PLACES = TEXT + WINDOW + 64;

interface Scanner {
  memory: { buffer: ArrayBuffer };
  /** How many long strings end in the window. */
  scan(base: number, size: number, long: number): number;
}

let scanner: Scanner | null | undefined;

/**
 * Finds the long strings of a JSON text that `safeJson` would spell as they are; without WebAssembly it finds none. It leaves
 * out a few more, with rare characters that stand beside hidden ones, such as U+FFFD.
 * @param json in UTF-8; of what is not JSON, they may be anything that begins and ends with a quote
 * @param long bytes from which on a string is one, its quotes included
 * @returns where each begins, at its opening quote, and ends, behind its closing one, in turn
 */
export function longStrings(json: Buffer, long: number): number[] {
  if (scanner === undefined) scanner = instance();
  if (scanner === null) return [];
  const memory = new Uint8Array(scanner.memory.buffer);
  const places: number[] = [];
  for (let base = 0; base < json.length; base += WINDOW) {
    const size = Math.min(WINDOW, json.length - base);
    const before = Math.min(BEFORE, base);
    memory.set(json.subarray(base - before, base + size), TEXT - before);
    memory.fill(0x20, TEXT + size, TEXT + size + BLANKS);
    const found = new Uint32Array(memory.buffer, PLACES, 2 * scanner.scan(base, size, long));
    places.push(...found);
  }
  return places;
}

function instance(): Scanner | null {
  try {
    return instantiate() as Scanner;
  } catch {
    return null; // --jitless, an old processor, or a limit to the address space
  }
}
