import { inflateRawSync } from 'node:zlib';

// APPNOTE 6.3, "End of central directory record" and "Central directory structure".
const end = 0x06054b50;
const entry = 0x02014b50;

/** Reads one file of a ZIP archive of less than 4 GB. */
export function fileOfZip(archive: Buffer, path: string): Buffer {
  let at = archive.length - 22;
  while (at >= 0 && archive.readUInt32LE(at) !== end) at -= 1;
  if (at < 0) throw new Error('it is no ZIP archive');
  for (at = archive.readUInt32LE(at + 16); archive.readUInt32LE(at) === entry;) {
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place));
    const next = at + 46 + (nameSize ?? 0) + (extraSize ?? 0) + (commentSize ?? 0);
    if (archive.toString('utf8', at + 46, at + 46 + (nameSize ?? 0)) === path) return contentOf(archive, at);
    at = next;
  }
  throw new Error(`the archive has no file ${path}`);
}

function contentOf(archive: Buffer, at: number): Buffer {
  const [method, size, local] = [
    archive.readUInt16LE(at + 10),
    archive.readUInt32LE(at + 20),
    archive.readUInt32LE(at + 42),
  ];
  const begins = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(begins, begins + size);
  return method === 0 ? packed : inflateRawSync(packed);
}
