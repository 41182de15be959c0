import { tarHeader } from '../receipts/contract.ts';

const block = 512;
const mostBytes = 64 * 1024 * 1024;

/** One file of an archive. */
export interface Entry {
  readonly path: string;
  readonly content: Buffer;
  /** Its time, since the Unix epoch. */
  readonly seconds: number;
}

/** An archive is not as it was written. */
export class Damaged extends Error {}

/**
 * Reads a tar archive, one file at a time. It accepts only what `tar` of receipts writes: each header, all padding and
 * the end are compared byte by byte. Throws Damaged.
 */
export async function* readArchive(source: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const bytes = new Bytes(source);
  try {
    yield* entriesOf(bytes);
  } finally {
    await bytes.close();
  }
}

async function* entriesOf(bytes: Bytes): AsyncGenerator<Entry> {
  for (;;) {
    const head = await bytes.take(block);
    if (head.every((byte) => byte === 0)) break;
    const entry = entryOf(head);
    if (entry.size > mostBytes) throw new Damaged(`${entry.path} is larger than a part can be`);
    if (!head.equals(tarHeader(entry.path, entry.size, entry.seconds)))
      throw new Damaged(`the header of ${entry.path} was changed`);
    const content = await bytes.take(entry.size);
    const padding = await bytes.take((block - (entry.size % block)) % block);
    if (padding.some((byte) => byte !== 0)) throw new Damaged(`there is something behind ${entry.path}`);
    yield { path: entry.path, content, seconds: entry.seconds };
  }
  if ((await bytes.take(block)).some((byte) => byte !== 0)) throw new Damaged('the end of the archive was changed');
  if (!(await bytes.isEnd())) throw new Damaged('there is something behind the end of the archive');
}

function entryOf(head: Buffer): { path: string; size: number; seconds: number } {
  const text = (from: number, to: number): string => head.toString('latin1', from, to).replace(/\0[^]*$/, '');
  const path = text(0, 100);
  const [size, seconds] = [text(124, 136), text(136, 148)].map((digits) =>
    /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : NaN,
  );
  if (!/^[\w.@/-]+$/.test(path) || size === undefined || seconds === undefined || Number.isNaN(size + seconds))
    throw new Damaged('a header of the archive was changed');
  return { path, size, seconds };
}

// What was read of a source and not taken.
class Bytes {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    while (this.#length < size) if (!(await this.#more())) throw new Damaged('the archive was cut off');
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(size)];
    this.#length -= size;
    return all.subarray(0, size);
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async isEnd(): Promise<boolean> {
    return this.#length === 0 && !(await this.#more());
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    const { value } = next;
    if (value.length === 0) return this.#more();
    this.#chunks.push(Buffer.from(value.buffer, value.byteOffset, value.length));
    this.#length += value.length;
    return true;
  }
}
