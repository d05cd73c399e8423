/** 64 bits that a text is known by in this run, as two unsigned 32-bit integers. */
export type Fingerprint = readonly [number, number];

/** Of this run: whoever knew them could make ids that all fall on one slot of a set. */
const [SEED_ONE, SEED_OTHER, MULTIPLIER_ONE, MULTIPLIER_OTHER] = crypto
  .getRandomValues(new Int32Array(4))
  .map((number, at) => (at < 2 ? number : number | 1)) as unknown as [number, number, number, number];

/**
 * MurmurHash3's 32 bits of a text's UTF-16 units, one a block, from two seeds; a cryptographic hash of an id would cost ten
 * times as much. The multipliers of a block are random, too: with known ones, some texts collide from any seed.
 */
export function fingerprint(text: string): Fingerprint {
  let one = SEED_ONE;
  let other = SEED_OTHER;
  for (let at = 0; at < text.length; at += 1) {
    let block = Math.imul(text.charCodeAt(at), MULTIPLIER_ONE);
    block = Math.imul((block << 15) | (block >>> 17), MULTIPLIER_OTHER);
    one ^= block;
    one = (Math.imul((one << 13) | (one >>> 19), 5) + 0xe6546b64) | 0;
    other ^= block;
    other = (Math.imul((other << 13) | (other >>> 19), 5) + 0xe6546b64) | 0;
  }
  return [finished(one ^ text.length), finished(other ^ text.length)];
}

function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** How full a set gets, at most. */
const LOAD = 0.75;
/** Slots that are made beforehand, at most: a server may say anything. Those that are never used take no memory. */
const MOST = 2 ** 22;

/**
 * A set of fingerprints in 8 bytes a slot, for splits of a million tasks: a Set of their ids would take fifty times that.
 * Among a million ids, two that differ are taken for one with a probability of 3e-8.
 */
export class FingerprintSet {
  private slots: Uint32Array;
  private size = 0;

  /** @param expected how many there may be; it grows with those that are added */
  constructor(expected = 0) {
    this.slots = new Uint32Array(2 * Math.ceil(Math.min(MOST, Math.max(16, expected / LOAD))));
  }

  /** @returns false where it is in the set already */
  add([high, low]: Fingerprint): boolean {
    const first = (high | 1) >>> 0; // 0, 0 marks a free slot
    const at = this.slotOf(first, low);
    if (this.slots[at] !== 0) return false;
    this.slots[at] = first;
    this.slots[at + 1] = low;
    this.size += 1;
    if (this.size * 2 > this.slots.length * LOAD) this.grow();
    return true;
  }

  /** Where a fingerprint is, or the free slot where it belongs. */
  private slotOf(first: number, low: number): number {
    const { slots } = this;
    const count = slots.length / 2;
    for (let slot = Math.floor((low / 2 ** 32) * count); ; slot = slot + 1 === count ? 0 : slot + 1) {
      const at = slot * 2;
      if (slots[at] === 0 || (slots[at] === first && slots[at + 1] === low)) return at;
    }
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(old.length * 2);
    for (let from = 0; from < old.length; from += 2) {
      const [first, low] = [old[from] as number, old[from + 1] as number];
      if (first === 0) continue;
      const at = this.slotOf(first, low);
      this.slots[at] = first;
      this.slots[at + 1] = low;
    }
  }
}
