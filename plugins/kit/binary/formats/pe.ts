// Microsoft, "PE Format" (learn.microsoft.com/windows/win32/debug/pe-format): executables of Windows, 64 bits.
const directories = 112;
const checksum = 64;
const rawData = 10;
const section = 40;

interface Head {
  /** Where the optional header begins. */
  readonly optional: number;
  readonly machine: number;
  /** Where the headers of the sections begin, and how many they are. */
  readonly sections: readonly [at: number, count: number];
}

function headOf(file: Buffer): Head {
  const at = file.toString('latin1', 0, 2) === 'MZ' ? file.readUInt32LE(0x3c) : 0;
  const optional = at + 24;
  if (file.toString('latin1', at, at + 4) !== 'PE\0\0' || file.readUInt16LE(optional) !== 0x20b)
    throw new Error('it is no PE file of 64 bits');
  const sections = [optional + file.readUInt16LE(at + 20), file.readUInt16LE(at + 6)] as const;
  return { optional, machine: file.readUInt16LE(at + 4), sections };
}

/** Answers the number of the architecture: 0x8664 is x64. */
export function peMachine(file: Buffer): number {
  return headOf(file).machine;
}

const directory = (file: Buffer, index: number): readonly [at: number, size: number] => {
  const at = headOf(file).optional + directories + 8 * index;
  return [file.readUInt32LE(at), file.readUInt32LE(at + 4)];
};

/** Answers how many bytes of signatures it has. */
export function signatureSize(file: Buffer): number {
  return directory(file, 4)[1];
}

/** Removes the signature of the vendor, which an injection makes wrong: a program without one is told so. */
export function unsigned(file: Buffer): Buffer {
  const [at, size] = directory(file, 4);
  if (size === 0) return file;
  if (at + size !== file.length) throw new Error('its signature does not lie at its end');
  const whole = Buffer.from(file.subarray(0, at));
  const { optional } = headOf(file);
  whole.fill(0, optional + directories + 8 * 4, optional + directories + 8 * 5);
  // Only drivers need the checksum; zero means that there is none.
  whole.writeUInt32LE(0, optional + checksum);
  return whole;
}

/** Reads the raw data of a name among the resources, in its first language. */
export function peResource(file: Buffer, name: string): Buffer | undefined {
  const root = place(file, directory(file, 2)[0]);
  const types = root === undefined ? undefined : within(file, root, 0, (id) => id === rawData);
  const names = types === undefined || root === undefined ? undefined : within(file, root, types, (id) => id === name);
  const entry = names === undefined || root === undefined ? undefined : within(file, root, names, () => true);
  if (root === undefined || entry === undefined) return undefined;
  const begins = place(file, file.readUInt32LE(root + entry));
  return begins === undefined ? undefined : file.subarray(begins, begins + file.readUInt32LE(root + entry + 4));
}

/** Finds an entry in a folder of resources; places are counted from the root of all, and folders have the high bit. */
function within(file: Buffer, root: number, at: number, matches: (id: number | string) => boolean): number | undefined {
  const count = file.readUInt16LE(root + at + 12) + file.readUInt16LE(root + at + 14);
  for (let index = 0; index < count; index += 1) {
    const entry = root + at + 16 + 8 * index;
    const id = file.readUInt32LE(entry);
    if (matches(id >= 0x80000000 ? nameAt(file, root + (id % 0x80000000)) : id))
      return file.readUInt32LE(entry + 4) % 0x80000000;
  }
  return undefined;
}

function nameAt(file: Buffer, at: number): string {
  return file.toString('utf16le', at + 2, at + 2 + 2 * file.readUInt16LE(at));
}

/** Answers where an address in memory lies in the file. */
function place(file: Buffer, address: number): number | undefined {
  const [from, count] = headOf(file).sections;
  for (let index = 0; index < count; index += 1) {
    const at = from + index * section;
    const [virtual, size, raw] = [file.readUInt32LE(at + 12), file.readUInt32LE(at + 16), file.readUInt32LE(at + 20)];
    if (address >= virtual && address < virtual + size) return raw + address - virtual;
  }
  return undefined;
}
