import { pack, type Batch, type Failure } from '../message.ts';

/** One write of a batch; its operations and their results stand at `from` and below `to`. */
export interface Write {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/** A batch on its way: what was answered so far. */
export interface Progress {
  readonly batch: Batch;
  readonly results: unknown[];
  readonly failures: [number, Failure][];
  /** What went wrong with the batch as a whole. */
  readonly faults: unknown[];
  /** Numbers of the writes that are answered. */
  readonly done: Set<number>;
}

/** What the operations of a write answered, or why they failed. */
export interface Gathered {
  readonly write: Write;
  readonly results?: readonly unknown[];
  readonly error?: unknown;
}

/** Lists the writes of a batch. */
export function writesOf({ sizes }: Batch): readonly Write[] {
  let from = 0;
  return sizes.map((size, number) => ({ number, from, to: (from += size) }));
}

/** Keeps a promise from ending the thread when its failure is looked at later, or by nobody. */
export function heard<T>(value: T): T {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/** Notes what a write answered, or why it failed. */
export async function keep(
  { results, failures, done }: Progress,
  { write, results: found, error }: Gathered,
): Promise<void> {
  try {
    if (found === undefined) failures.push([write.number, pack(error)]);
    else (await Promise.all(found)).forEach((result, index) => (results[write.from + index] = result));
  } catch (late) {
    failures.push([write.number, pack(late)]);
  }
  done.add(write.number);
}
