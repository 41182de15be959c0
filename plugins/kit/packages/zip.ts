import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. */
export interface ZippedFile {
  readonly path: string;
  readonly content: Uint8Array | string;
}

// 1980-01-01, the earliest time that the format can tell, as a date of MS-DOS.
const date = (1 << 5) | 1;
const utf8 = 0x0800;
const deflated = 8;
const regularFile = 0o100644 * 0x10000;

/** Writes a ZIP archive (APPNOTE 6.3): the same files always give the same bytes. */
export function zip(files: readonly ZippedFile[]): Uint8Array {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { content, path } of files) {
    const [name, whole] = [Buffer.from(path), Buffer.from(content)];
    const packed = deflateRawSync(whole, { level: 9 });
    const about = Buffer.alloc(26);
    [20, utf8, deflated, 0, date].forEach((word, index) => about.writeUInt16LE(word, 2 * index));
    [crc32(whole), packed.length, whole.length].forEach((size, index) => about.writeUInt32LE(size, 10 + 4 * index));
    about.writeUInt16LE(name.length, 22);
    bodies.push(signed(0x04034b50), about, name, packed);
    // Made by UNIX, so that the mode counts.
    const place = Buffer.alloc(14);
    place.writeUInt32LE(regularFile, 6);
    place.writeUInt32LE(at, 10);
    entries.push(signed(0x02014b50), Buffer.from([20, 3]), about, place, name);
    at += 4 + about.length + name.length + packed.length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, list, signed(0x06054b50), end]);
}

function signed(signature: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  return bytes;
}
