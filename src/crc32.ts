import zlib from 'node:zlib';

/** CRC-32 of a text or bytes. Node has it since 20.15, ten times as fast. */
export const crc32: (text: string | Buffer) => number = zlib.crc32 ?? plainCrc32;

function plainCrc32(text: string | Buffer): number {
  let crc = -1;
  for (const byte of typeof text === 'string' ? Buffer.from(text) : text) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
