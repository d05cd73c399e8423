import { createHash } from 'node:crypto';

/** 64 bits of a text's SHA-1, as two unsigned 32-bit integers. */
export type Fingerprint = readonly [number, number];

export function fingerprint(text: string): Fingerprint {
  const digest = createHash('sha1').update(text).digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
}

/**
 * A set of fingerprints in 8 bytes a slot, for splits of a million tasks: a Set of their ids would take fifty times that.
 * Among a million ids, two that differ are taken for one with a probability of 3e-8.
 */
export class FingerprintSet {
  private readonly mask: number;
  private readonly slots: Uint32Array;

  /** @param capacity how many will be added at most */
  constructor(capacity: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(16, capacity * 2)));
    this.mask = size - 1;
    this.slots = new Uint32Array(size * 2);
  }

  /** @returns false where it is in the set already */
  add([high, low]: Fingerprint): boolean {
    const first = high | 1; // 0, 0 marks a free slot
    for (let slot = low & this.mask; ; slot = (slot + 1) & this.mask) {
      const at = slot * 2;
      if (this.slots[at] === 0) {
        this.slots[at] = first >>> 0;
        this.slots[at + 1] = low;
        return true;
      }
      if (this.slots[at] === first >>> 0 && this.slots[at + 1] === low) return false;
    }
  }
}
