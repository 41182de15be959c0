import { pack, PlatformError, type Answer, type Batch, type Failure } from '../../../kernel/engine.ts';
import { Patience } from './turn.ts';

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
  /** How long the writes may take that go out together. */
  readonly patience: Patience;
  /** How long each write may take that is tried alone. */
  patienceOf(write: Write): Patience;
  /** How many writes were tried alone and took too long. */
  late: number;
}

/** Begins a batch. `limitMs`: how long a write may take; `awayMs`: tells for how long the database was away so far. */
export function progressOf(batch: Batch, limitMs: number, awayMs: () => number): Progress {
  const patiences = new Map<number, Patience>();
  return {
    ...{ batch, results: [], failures: [], faults: [], done: new Set(), late: 0 },
    patience: new Patience(limitMs, awayMs),
    patienceOf({ number }) {
      const patience = patiences.get(number) ?? new Patience(limitMs, awayMs);
      patiences.set(number, patience);
      return patience;
    },
  };
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

/** Prevents an unhandled rejection when the failure of a promise is read later or never. */
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

/** Refuses those of some writes that are not answered: the database is away. */
export function refuse(writes: readonly Write[], { done, failures }: Progress): void {
  const away = pack(new PlatformError('storage_unavailable', undefined, { retry_after: 1 }));
  for (const { number } of writes) if (!done.has(number)) failures.push([number, away]);
}

/** Makes the answer of a batch whose writes are all answered. */
export function answered({ batch, failures, results }: Progress): Answer {
  return {
    ...{ kind: 'answer', results: Array.from(batch.codes, (_, index) => results[index]) },
    failures: failures.sort(([one], [other]) => one - other),
  };
}
