import { crc32 } from '../crc32.js';

/** Bytes of a fingerprint: one edit in 16 million goes unnoticed. */
const SIZE = 3;

/** Fingerprints of each row's prompts, in the order of the rows. The lock file keeps them, so that edited prompts can be found. */
export class PromptFingerprints {
  private bytes = Buffer.alloc(SIZE * 1024);
  private rows = 0;

  /** @param input the row's messages as JSON */
  add(input: Buffer): void {
    const at = this.rows * SIZE;
    if (at === this.bytes.length) this.bytes = Buffer.concat([this.bytes], this.bytes.length * 2);
    this.bytes.writeUIntBE(promptFingerprint(input), at, SIZE);
    this.rows += 1;
  }

  /** Base64, four characters a row. */
  toString(): string {
    return this.bytes.toString('base64', 0, this.rows * SIZE);
  }

  /** @returns the fingerprint of the row at an index; undefined if there is no such row */
  static parse(text: string): (row: number) => number | undefined {
    const bytes = Buffer.from(text, 'base64');
    // The index may come from an edited row, and be any number.
    const isRow = (row: number) => Number.isSafeInteger(row) && row >= 0 && (row + 1) * SIZE <= bytes.length;
    return (row) => (isRow(row) ? bytes.readUIntBE(row * SIZE, SIZE) : undefined);
  }
}

/** The first bytes of the CRC-32 of a row's messages. */
export function promptFingerprint(input: string | Buffer): number {
  return crc32(input) >>> (32 - SIZE * 8);
}
