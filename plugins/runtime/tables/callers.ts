import { type Awaitable, type Connection, queriesOf, textColumn } from '../../../kernel/index.ts';

/** Finds who made runs, by the ids of the runs; a run that is not known is left out. */
export type Find = (runIds: readonly string[]) => Awaitable<ReadonlyMap<string, string>>;

const mostKnown = 10_000;

/** Who made runs, for all streams: read once, since it never changes. */
export class Callers {
  readonly #reads: readonly Find[];
  readonly #known = new Map<string, string>();

  /** `reads`: asked in this order, each for the runs that none before it knew. */
  constructor(...reads: readonly Find[]) {
    this.#reads = reads;
  }

  /** Finds who made runs. */
  async of(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const read of [(): ReadonlyMap<string, string> => this.#known, ...this.#reads]) {
      const left = runIds.filter((id) => !found.has(id));
      const known = left.length === 0 ? undefined : await read(left);
      for (const id of left) {
        const caller = known?.get(id);
        if (caller !== undefined) found.set(id, caller);
      }
    }
    this.#keep(found);
    return found;
  }

  #keep(found: ReadonlyMap<string, string>): void {
    for (const [id, caller] of found) this.#known.set(id, caller);
    for (const id of this.#known.keys()) {
      if (this.#known.size <= mostKnown) return;
      this.#known.delete(id);
    }
  }
}

/** Prepares the read of who made the runs of a table. */
export function callersIn(connection: Connection, table: string) {
  const read = queriesOf(connection).among(
    `SELECT run_id, principal FROM ${table}`,
    'run_id',
    ({ run_id, principal }) => [textColumn(run_id), textColumn(principal)] as const,
  );
  return (runIds: readonly string[]): ReadonlyMap<string, string> => new Map(read(runIds));
}
