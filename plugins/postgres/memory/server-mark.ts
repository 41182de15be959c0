/** How far a process has come: memory that its threads share. */
export interface Newest {
  /** The epoch with which the process has its row. */
  readonly epoch: number;
  /** Number of the last batch that it committed. */
  readonly batch: number;
}

/**
 * Tells the threads of a process which server has what its writer committed and what it was told to learn: one that has
 * less is another server, such as the former primary after a switch-over, whose connections may stay open.
 */
export class ServerMark {
  /** For the other threads. */
  readonly buffer: SharedArrayBuffer;
  readonly #values: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(32)) {
    this.buffer = buffer;
    this.#values = new BigInt64Array(buffer);
  }

  /** Counts how often connections were to be opened again. */
  get openings(): bigint {
    return Atomics.load(this.#values, 0);
  }

  get newest(): Newest {
    return { epoch: Number(Atomics.load(this.#values, 1)), batch: Number(Atomics.load(this.#values, 2)) };
  }

  /** Number of the last change of another node that this process was told to learn. */
  get told(): bigint {
    return Atomics.load(this.#values, 3);
  }

  /** Lets all threads open their connections again, before they use them. */
  reopen(): void {
    Atomics.add(this.#values, 0, 1n);
  }

  /** Notes how far the writer has come. */
  note({ epoch, batch }: Newest): void {
    Atomics.store(this.#values, 1, BigInt(epoch));
    Atomics.store(this.#values, 2, BigInt(batch));
  }

  /** Notes that the changes up to a number of the feed are to be learned. */
  tell(seq: number): void {
    Atomics.store(this.#values, 3, BigInt(seq));
  }
}
