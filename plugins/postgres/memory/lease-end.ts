/** How long the lease of this process certainly holds: memory that its threads share. */
export class LeaseEnd {
  /** For the other thread. */
  readonly buffer: SharedArrayBuffer;
  readonly #ends: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#ends = new BigInt64Array(buffer);
  }

  /** Notes that it holds for so many milliseconds from now. */
  extend(ms: number): void {
    const left = BigInt(Math.round(ms));
    Atomics.store(this.#ends, 0, process.hrtime.bigint() + left * 1_000_000n);
    Atomics.store(this.#ends, 1, BigInt(Date.now()) + left);
  }

  /**
   * Whether it may be over. The monotonic clock stands still while a machine sleeps, the other may be set back: the
   * earlier end counts. Answers at once in a process that was paused, before any timer.
   */
  isOver(): boolean {
    const [monotonic, wall] = [Atomics.load(this.#ends, 0), Atomics.load(this.#ends, 1)];
    return monotonic !== 0n && (process.hrtime.bigint() > monotonic || BigInt(Date.now()) > wall);
  }
}
