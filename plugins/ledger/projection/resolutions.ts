import type { KeyLine, ResolutionLine, RunLine } from '../fact/line.ts';
import { isSince, type Place } from '../fact/prefix.ts';

/** Resolutions of receipts in a part of a shard that is not read yet; they count when it is. */
export class Waiting {
  readonly #lines: Map<string, ResolutionLine>;
  #added = new Set<string>();
  #ended = new Set<string>();

  constructor(lines: Iterable<ResolutionLine> = []) {
    this.#lines = new Map([...lines].map((line) => [line.receipt_id, line]));
  }

  has(receiptId: string): boolean {
    return this.#lines.has(receiptId);
  }

  add(line: ResolutionLine): void {
    this.#lines.set(line.receipt_id, line);
    this.#added.add(line.receipt_id);
  }

  /** Removes a resolution that no longer waits. */
  end(receiptId: string): void {
    if (!this.#lines.delete(receiptId)) return;
    if (!this.#added.delete(receiptId)) this.#ended.add(receiptId);
  }

  /** Takes out the resolutions of a receipt. */
  release(receiptId: string): readonly ResolutionLine[] {
    if (this.#lines.size === 0) return [];
    const found = [...this.#lines.values()].filter(({ resolves }) => resolves === receiptId);
    for (const { receipt_id: id } of found) this.end(id);
    return found;
  }

  /** All that wait. */
  all(): readonly ResolutionLine[] {
    return [...this.#lines.values()];
  }

  /** Returns what changed, and starts a new list. */
  take(): { readonly waiting: readonly ResolutionLine[]; readonly arrived: readonly string[] } {
    const taken = { waiting: [...this.#added].flatMap((id) => this.#lines.get(id) ?? []), arrived: [...this.#ended] };
    this.#added = new Set();
    this.#ended = new Set();
    return taken;
  }
}

/** From which entry on a receipt key is revoked. */
export interface Revocation extends Place {
  readonly kid: string;
}

/** Reads a revocation. `at`: the receipt at the position from which the key is revoked, if there is one before it. */
export function revocationOf({ from, kid, receipt_id }: KeyLine, at: string | undefined): Revocation | undefined {
  if (from === undefined) return undefined;
  const since = at === undefined || at > receipt_id ? receipt_id : at;
  return { kid, origin: from.origin, index: from.index, receipt_id: since };
}

/** Says whether a run or a resolution does not count, since its key is revoked. */
export function isRevoked(line: RunLine | ResolutionLine, revoked: ReadonlyMap<string, Revocation>): boolean {
  const from = revoked.get(line.signed_by);
  return from !== undefined && isSince(line, from);
}
