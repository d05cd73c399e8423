/** A 64-bit hash of a text, as two unsigned 32-bit integers. It differs from run to run. */
export type Fingerprint = readonly [number, number];

/** Random, because a server that knew them could choose ids that all fall on one slot of a set. */
const [SEED_ONE, SEED_OTHER, MULTIPLIER_ONE, MULTIPLIER_OTHER] = crypto
  .getRandomValues(new Int32Array(4))
  .map((number, at) => (at < 2 ? number : number | 1)) as unknown as [number, number, number, number];

/**
 * Hashes a text with two seeds of MurmurHash3 (32 bits each), one UTF-16 unit per block. A cryptographic hash would take ten
 * times as long. The multipliers are random, too: with known multipliers, some texts collide for every seed.
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
  return [mixed(one ^ text.length), mixed(other ^ text.length)];
}

function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Maximum load of a set. */
const MAX_LOAD = 0.75;
/** Maximum initial number of slots, because a server may claim any number of tasks. Unused slots take no memory. */
const MAX_INITIAL_SLOTS = 2 ** 22;

/**
 * A hash set of fingerprints with 8 bytes per slot, for splits of a million tasks. A Set of their ids would take fifty times the
 * memory. Among a million ids, the probability that two of them have the same fingerprint is 3e-8.
 */
export class FingerprintSet {
  private slots: Uint32Array;
  private size = 0;

  /** @param expected number of fingerprints; the set grows if there are more */
  constructor(expected = 0) {
    this.slots = new Uint32Array(2 * Math.ceil(Math.min(MAX_INITIAL_SLOTS, Math.max(16, expected / MAX_LOAD))));
  }

  /** @returns false if the fingerprint is in the set already */
  add([high, low]: Fingerprint): boolean {
    const first = (high | 1) >>> 0; // 0, 0 marks a free slot
    const at = this.slotOf(first, low);
    if (this.slots[at] !== 0) return false;
    this.slots[at] = first;
    this.slots[at + 1] = low;
    this.size += 1;
    if (this.size * 2 > this.slots.length * MAX_LOAD) this.grow();
    return true;
  }

  /** The slot of a fingerprint, or the free slot for it. */
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
