/** Puts bytes together in one piece of memory, which is used again and again and grows to what is needed at once. */
export class ByteBuilder {
  length = 0;

  constructor(private memory: Buffer) {}

  text(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.memory.write(text, this.length);
  }

  add(data: Buffer, start = 0, end = data.length): void {
    this.reserve(end - start);
    this.length += data.copy(this.memory, this.length, start, end);
  }

  /** What was put in from a place on. Good until the next is put in. */
  since(start: number): Buffer {
    return this.memory.subarray(start, this.length);
  }

  /** All that was put in, to begin again. Good until the next is put in. */
  take(): Buffer {
    const taken = this.since(0);
    this.length = 0;
    return taken;
  }

  private reserve(size: number): void {
    if (this.length + size <= this.memory.length) return;
    const more = Buffer.allocUnsafe(2 * (this.length + size));
    this.memory.copy(more, 0, 0, this.length);
    this.memory = more;
  }
}
