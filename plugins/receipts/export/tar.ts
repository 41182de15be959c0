// POSIX.1-2017 pax, ustar interchange format: a header of 512 bytes, the content, zeros up to the next 512.
const block = 512;
const encoder = new TextEncoder();

/** One file of an archive. `path` is ASCII, relative, at most 100 letters. */
export interface ArchivedFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Writes files as a tar archive, one chunk per file, as they arrive. `seconds`: their time, since the Unix epoch. */
export async function* tar(files: AsyncIterable<ArchivedFile>, seconds: number): AsyncGenerator<Uint8Array> {
  for await (const { content, path } of files) {
    const bytes = typeof content === 'string' ? encoder.encode(content) : content;
    const whole = new Uint8Array(block + Math.ceil(bytes.length / block) * block);
    whole.set(tarHeader(path, bytes.length, seconds));
    whole.set(bytes, block);
    yield whole;
  }
  yield new Uint8Array(2 * block);
}

/** Makes the header of a file in an archive: the same values always give the same bytes. */
export function tarHeader(path: string, size: number, seconds: number): Uint8Array {
  if (path.length > 100) throw new RangeError(`the path ${path} is too long for an archive`);
  const head = new Uint8Array(block);
  const put = (at: number, text: string): void => head.set(encoder.encode(text), at);
  put(0, path);
  put(100, octal(0o644, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(seconds, 12));
  // The checksum is computed with spaces in its own field.
  put(148, ' '.repeat(8));
  put(156, '0');
  put(257, 'ustar\0' + '00');
  const checksum = head.reduce((sum, byte) => sum + byte, 0);
  put(148, `${octal(checksum, 7)} `);
  return head;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}
