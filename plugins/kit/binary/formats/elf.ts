// System V ABI, "Object files": the format of executables on Linux, 64 bits, little-endian.
const sectionHeader = 64;
const programHeader = 56;
const allocated = 2n;
const note = 4;

/** The architectures of executables that are built, by the number in their head. */
export const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

/** Answers the number of the architecture; throws when the bytes are no such executable. */
export function elfMachine(file: Buffer): number {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file.readUInt16BE(4) !== 0x0201)
    throw new Error('it is no ELF file of 64 bits, little-endian');
  return file.readUInt16LE(18);
}

/**
 * Removes the sections that no running program needs: symbols and what debuggers read. They lie behind all others, so
 * nothing else moves.
 */
export function stripped(file: Buffer): Buffer {
  elfMachine(file);
  const [from, count, names] = [Number(file.readBigUInt64LE(40)), file.readUInt16LE(60), file.readUInt16LE(62)];
  const headers = Array.from({ length: count }, (_, at) => file.subarray(from + at * sectionHeader).subarray(0, 64));
  const kept = headers.filter((header, at) => at === 0 || (header.readBigUInt64LE(8) & allocated) !== 0n);
  const last = kept.length - 1;
  if (headers.slice(0, last + 1).some((header, at) => header !== kept[at]))
    throw new Error('a section that a running program needs lies behind one that it does not need');
  const ends = kept.map((header) => (header.readUInt32LE(4) === 8 ? 0 : endOf(header)));
  const table = headers[names];
  if (table === undefined) throw new Error('it has no names of sections');
  const text = file.subarray(Number(table.readBigUInt64LE(24)), endOf(table));
  const begins = Math.ceil(Math.max(...ends) / 8) * 8;
  const at = Math.ceil((begins + text.length) / 8) * 8;
  const own = Buffer.from(table);
  own.writeBigUInt64LE(BigInt(begins), 24);
  const whole = Buffer.alloc(at + (kept.length + 1) * sectionHeader);
  file.copy(whole, 0, 0, Math.max(...ends));
  text.copy(whole, begins);
  [...kept, own].forEach((header, index) => header.copy(whole, at + index * sectionHeader));
  whole.writeBigUInt64LE(BigInt(at), 40);
  whole.writeUInt16LE(kept.length + 1, 60);
  whole.writeUInt16LE(kept.length, 62);
  return whole;
}

function endOf(header: Buffer): number {
  return Number(header.readBigUInt64LE(24) + header.readBigUInt64LE(32));
}

/** Reads the note of a name: that of a program's own resource, which the loader finds by its segment. */
export function elfNote(file: Buffer, name: string): Buffer | undefined {
  const [from, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(56)];
  for (let index = 0; index < count; index += 1) {
    const header = file.subarray(from + index * programHeader);
    if (header.readUInt32LE(0) !== note) continue;
    const begins = Number(header.readBigUInt64LE(8));
    const found = noteIn(file.subarray(begins, begins + Number(header.readBigUInt64LE(32))), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function noteIn(segment: Buffer, name: string): Buffer | undefined {
  const padded = (size: number): number => Math.ceil(size / 4) * 4;
  for (let at = 0; at + 12 <= segment.length;) {
    const [nameSize, size] = [segment.readUInt32LE(at), segment.readUInt32LE(at + 4)];
    const begins = at + 12 + padded(nameSize);
    const found = segment.toString('latin1', at + 12, at + 12 + nameSize).replace(/\0+$/, '');
    if (found === name) return segment.subarray(begins, begins + size);
    at = begins + padded(size);
  }
  return undefined;
}
