import { crc32 } from '../../crc32.js';

export interface ZipEntry {
  path: string;
  content: Buffer;
}

/** 1 January 1980, 00:00, the first time that a zip file can have (APPNOTE 4.4.6). */
const DOS_DATE = 0x21;
/** A regular file with mode 644, made on Unix (APPNOTE 4.4.2, 4.4.15). */
const UNIX = (3 << 8) | 20;
const MODE = (0o100644 << 16) >>> 0;
const UTF8 = 0x800;
const STORED = 0;

/** A zip file whose bytes depend on the entries only: fixed times and modes, in the given order, and not compressed. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content } of entries) {
    const name = Buffer.from(path);
    const common = header(content, name.length);
    const local = Buffer.concat([uint32(0x04034b50), common, name, content]);
    directory.push(
      Buffer.concat([
        uint32(0x02014b50),
        uint16(UNIX),
        common,
        Buffer.alloc(6), // no comment, on the first disk, no internal attributes
        uint32(MODE),
        uint32(offset),
        name,
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const count = uint16(entries.length);
  const end = Buffer.concat([
    uint32(0x06054b50),
    Buffer.alloc(4),
    count,
    count,
    uint32(size),
    uint32(offset),
    uint16(0),
  ]);
  return Buffer.concat([...parts, ...directory, end]);
}

/** What the local header and the directory have in common (APPNOTE 4.3.7, from "version needed to extract"). */
function header(content: Buffer, nameLength: number): Buffer {
  return Buffer.concat([
    ...[uint16(20), uint16(UTF8), uint16(STORED), uint16(0), uint16(DOS_DATE)],
    ...[uint32(crc32(content)), uint32(content.length), uint32(content.length), uint16(nameLength), uint16(0)],
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
