import type { Cell } from './rows.ts';

/** What a column holds, as `schemaOf` renders it. */
export type Kind = 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL';

// "PGCOPY\n\377\r\n\0", no flags, no extension (PostgreSQL, "COPY", "Binary Format").
const head = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const endOfRows = -1;
const absent = -1;

/** Writes rows in the binary format of COPY, in one piece of memory that grows. */
export class CopyBuffer {
  readonly #kinds: readonly Kind[];
  #bytes: Buffer;
  #used = 0;
  /** How many rows it holds. */
  rows = 0;

  constructor(kinds: readonly Kind[], bytes: number) {
    this.#kinds = kinds;
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
    this.#begin();
  }

  /** How many bytes it holds. */
  get used(): number {
    return this.#used;
  }

  /** Adds a row. Throws TypeError when a value is not of the kind of its column. */
  add(row: readonly Cell[]): void {
    this.#int16(this.#kinds.length);
    this.#kinds.forEach((kind, index) => this.#cell(kind, row[index] ?? null));
    this.rows++;
  }

  /** Takes the content, and starts again. */
  take(): Uint8Array {
    this.#int16(endOfRows);
    const taken = Buffer.from(this.#bytes.subarray(0, this.#used));
    this.#begin();
    return taken;
  }

  #begin(): void {
    this.#used = head.copy(this.#bytes);
    this.rows = 0;
  }

  #cell(kind: Kind, value: Cell): void {
    if (value === null) this.#int32(absent);
    else if (kind === 'TEXT' && typeof value === 'string') this.#text(value);
    else if (kind === 'BLOB' && value instanceof Uint8Array) this.#blob(value);
    else if (kind === 'INTEGER' && typeof value === 'bigint') this.#integer(value);
    else if (kind === 'REAL' && typeof value === 'number') this.#real(value);
    else throw new TypeError(`it holds a ${typeof value} where ${kind} is due`);
  }

  #text(value: string): void {
    // A character of UTF-16 takes at most three bytes.
    this.#room(4 + 3 * value.length);
    const bytes = this.#bytes.write(value, this.#used + 4);
    this.#bytes.writeInt32BE(bytes, this.#used);
    this.#used += 4 + bytes;
  }

  #blob(value: Uint8Array): void {
    this.#room(4 + value.length);
    this.#int32(value.length);
    this.#bytes.set(value, this.#used);
    this.#used += value.length;
  }

  #integer(value: bigint): void {
    this.#room(12);
    this.#int32(8);
    this.#used = this.#bytes.writeBigInt64BE(value, this.#used);
  }

  #real(value: number): void {
    this.#room(12);
    this.#int32(8);
    this.#used = this.#bytes.writeDoubleBE(value, this.#used);
  }

  #int16(value: number): void {
    this.#room(2);
    this.#used = this.#bytes.writeInt16BE(value, this.#used);
  }

  #int32(value: number): void {
    this.#room(4);
    this.#used = this.#bytes.writeInt32BE(value, this.#used);
  }

  #room(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#used + bytes));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
