import type { Demand } from '../run/limits/line-bounds.ts';
import type { ClaimedRow, Claims, Wish } from './store.ts';

/** The runs of one Orbiset that this node knows of. */
interface Line {
  readonly tenant: string;
  readonly orbiset_id: string;
  /** When the next run in the store may be due; Infinity: none waits there. */
  due: number;
  /** Claimed runs that have not begun. */
  ready: ClaimedRow[];
  running: number;
}

// Runs of one line that are claimed before their turn.
const mostAhead = 128;

/** How many runs of an Orbiset may be under way here at once. */
export type Bound = (orbisetId: string) => number;

/**
 * The lines of waiting runs, one per Orbiset, served in turn by tenant: a tenant with a thousand runs delays its own, not
 * those of others. Holds no waiting run itself, only when each line is due.
 */
export class Lines {
  readonly #bound: Bound;
  // Both maps keep the order of insertion: a served entry goes to the end.
  readonly #tenants = new Map<string, Map<string, Line>>();
  #ready = 0;
  #running = 0;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  /** Number of claimed runs that have not begun, and of those under way. */
  get counts(): { readonly ready: number; readonly running: number } {
    return { ready: this.#ready, running: this.#running };
  }

  /** Notes that a run of a line is due at a time. */
  note(tenant: string, orbiset_id: string, due: number): void {
    const line = this.#line(tenant, orbiset_id);
    if (due < line.due) line.due = due;
  }

  /** Returns when the first line is due; Infinity when nothing waits in the store. */
  nextDue(): number {
    let first = Infinity;
    for (const line of this.#all()) if (line.due < first && this.#room(line) > 0) first = line.due;
    return first;
  }

  /** Plans a claim of at most `most` runs: each due line gets its share, the tenants in turn. */
  wishes(now: number, most: number): readonly Wish[] {
    const due = [...this.#all()].filter((line) => line.due <= now && this.#room(line) > 0);
    const share = Math.max(1, Math.floor(most / Math.max(1, due.length)));
    return due
      .slice(0, most)
      .map((line) => ({ orbiset_id: line.orbiset_id, limit: Math.min(share, this.#room(line)) }));
  }

  /** Takes the runs of a claim, and when each line is due next. */
  add({ rows, next }: Claims): void {
    for (const row of rows) this.#line(row.tenant, row.orbiset_id).ready.push(row);
    this.#ready += rows.length;
    const due = new Map(next.map(({ orbiset_id, due_at }) => [orbiset_id, due_at ?? Infinity]));
    for (const line of this.#all()) {
      line.due = due.get(line.orbiset_id) ?? line.due;
      this.#drop(line);
    }
  }

  /** Takes the next run of the tenant whose turn it is; the caller then calls `end`. */
  take(): ClaimedRow | undefined {
    for (const [tenant, lines] of this.#tenants)
      for (const [id, line] of lines) {
        if (line.running >= this.#bound(id)) continue;
        const row = line.ready.shift();
        if (row === undefined) continue;
        line.running += 1;
        this.#running += 1;
        this.#ready -= 1;
        lines.delete(id);
        lines.set(id, line);
        this.#tenants.delete(tenant);
        this.#tenants.set(tenant, lines);
        return row;
      }
    return undefined;
  }

  /** Lists what each line could serve now. */
  demands(): readonly Demand[] {
    return [...this.#all()].map(({ orbiset_id, ready, running }) => ({ orbiset_id, running, ready: ready.length }));
  }

  /** Ends a run that was taken. */
  end({ tenant, orbiset_id }: Pick<ClaimedRow, 'tenant' | 'orbiset_id'>): void {
    const line = this.#line(tenant, orbiset_id);
    line.running -= 1;
    this.#running -= 1;
    this.#drop(line);
  }

  /** Says whether a claimed run has not begun. */
  holds(runId: string): boolean {
    for (const { ready } of this.#all()) if (ready.some(({ run_id }) => run_id === runId)) return true;
    return false;
  }

  /** Takes out a claimed run that has not begun. */
  withdraw(runId: string): ClaimedRow | undefined {
    for (const line of this.#all()) {
      const at = line.ready.findIndex(({ run_id }) => run_id === runId);
      const [row] = at < 0 ? [] : line.ready.splice(at, 1);
      if (row === undefined) continue;
      this.#ready -= 1;
      this.#drop(line);
      return row;
    }
    return undefined;
  }

  /** Takes out all claimed runs that have not begun. */
  clear(): readonly ClaimedRow[] {
    const rows = [...this.#all()].flatMap((line) => line.ready.splice(0));
    this.#ready = 0;
    return rows;
  }

  // A run that ends is followed by the next without a wait for the store.
  #room({ ready }: Line): number {
    // Half of them at once: each claim is a write.
    return ready.length > mostAhead / 2 ? 0 : mostAhead - ready.length;
  }

  #line(tenant: string, orbiset_id: string): Line {
    const lines = this.#tenants.get(tenant) ?? new Map<string, Line>();
    this.#tenants.set(tenant, lines);
    const line = lines.get(orbiset_id) ?? { tenant, orbiset_id, due: Infinity, ready: [], running: 0 };
    lines.set(orbiset_id, line);
    return line;
  }

  #drop({ tenant, orbiset_id, due, ready, running }: Line): void {
    if (due !== Infinity || ready.length > 0 || running > 0) return;
    const lines = this.#tenants.get(tenant);
    lines?.delete(orbiset_id);
    if (lines?.size === 0) this.#tenants.delete(tenant);
  }

  *#all(): Iterable<Line> {
    for (const lines of this.#tenants.values()) yield* lines.values();
  }
}
