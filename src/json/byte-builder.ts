/** Appends bytes to one buffer, which is reused and grows when needed. */
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

  /** The bytes from an index on. Valid until the next append. */
  since(start: number): Buffer {
    return this.memory.subarray(start, this.length);
  }

  /** Returns all bytes and starts over. They are valid until the next append. */
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
