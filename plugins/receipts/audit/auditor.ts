import {
  after,
  createListeners,
  every,
  given,
  operation,
  timestamp,
  whenKnown,
  type Awaitable,
  type Health,
  type Store,
} from '../../../kernel/index.ts';
import type { FactKind } from '../format/fact-kind.ts';
import type { AuditFinding, Auditor, ReceiptDocument } from '../contract.ts';
import type { Serving } from '../read/serving.ts';
import receiptsStore, { type ServedReads } from '../store.ts';
import { auditedBy, movePlace, type Failed } from './round.ts';
import type { AuditPlace, AuditRecord, FailingReceipt } from '../log/rows/audit.ts';
import { startAuditThread, type AuditThread, type News } from './thread.ts';

/** What the auditor needs; `facts`: kinds of facts whose receipts are verified. */
interface AuditScope extends Pick<Serving, 'clock' | 'log'> {
  readonly facts: readonly FactKind[];
  readonly store: Pick<Store, 'write' | 'place' | 'node' | 'shared'>;
  readonly reads: Pick<ServedReads, 'logs' | 'owners'>;
  /** What an earlier start left. */
  readonly left: { readonly failing: readonly FailingReceipt[]; readonly places: readonly AuditPlace[] };
}

type Looked = Pick<ReceiptDocument, 'receipt_id' | 'signature_valid' | 'checks'>;

// The delay keeps the boot fast, and a short-lived process never starts the thread.
const startDelayMs = 2000;
const restartDelayMs = 5000;
// After a crash the auditor verifies at most this much again.
const savePlaceMs = 5000;
const recheckMs = 30_000;

/** A thread that verifies every receipt of the log in full, from its saved place on; starts soon after construction. */
export class RunningAuditor {
  readonly service: Auditor = Object.freeze({
    failing: (): AuditFinding[] => [...this.failing.values()].map((found) => ({ ...found, state: 'failing' })),
    onFinding: (listener: (finding: AuditFinding) => void) => this.#listeners.add(listener),
  });
  #verified = 0;
  readonly #scope: AuditScope;
  /** Receipts that fail, by their ids. */
  readonly failing: Map<string, FailingReceipt>;
  readonly #listeners = createListeners<AuditFinding>((err) =>
    this.#scope.log.error({ err }, 'a listener of the receipt auditor failed'),
  );
  readonly #asked = new Set<string>();
  readonly #stops: readonly (() => void)[];
  readonly #places: Map<string, number>;
  /** Logs whose place is not saved yet. */
  #moved = new Set<string>();
  #unwritten = false;
  #missing: string | undefined;
  #thread: AuditThread | undefined;
  #down = false;
  /** Why the store could not be read at the last try; undefined: it was read. */
  #unread: string | undefined;
  #idle = false;
  #grown = false;
  #stopWaiting: () => void;
  #saving = Promise.resolve();

  constructor(scope: AuditScope) {
    this.#scope = scope;
    this.failing = new Map(scope.left.failing.map((found) => [found.receipt_id, found]));
    this.#places = new Map(scope.left.places.map(({ next, origin }) => [origin, next]));
    this.#stopWaiting = this.#later(startDelayMs);
    const failed = (err: unknown): void =>
      scope.log.error({ err }, 'the receipt auditor failed; the server tries again');
    this.#stops = [
      every(savePlaceMs, () => this.#save(), failed),
      every(recheckMs, () => this.#askAgain([...this.failing.keys()]), failed),
    ];
  }

  /** Receipts verified since the start. */
  verified(): number {
    return this.#verified;
  }

  /** Tells the thread that the log has grown. */
  // One message covers many entries: a working thread checks for new entries before it rests.
  grew(): void {
    this.#grown = true;
    if (!this.#idle) return;
    this.#idle = this.#grown = false;
    this.#thread?.say({ kind: 'look' });
  }

  /** Verifies a receipt again when a read gave a different verdict than the recorded one. */
  looked({ checks, receipt_id: id, signature_valid: valid }: Looked): void {
    if (valid !== this.failing.has(id)) return;
    const failing = checks.filter(({ result }) => result === 'fail').map(({ name }) => name);
    if (isRevokedOnly(failing)) return;
    this.#askAgain([id]);
  }

  health(): { readonly health: Health; readonly reason?: string } {
    if (this.failing.size > 0)
      return { health: 'degraded', reason: `${this.failing.size} receipt(s) failed verification` };
    if (this.#missing !== undefined)
      return { health: 'degraded', reason: `an entry of the receipt log has no receipt: ${this.#missing}` };
    if (this.#unread !== undefined)
      return { health: 'degraded', reason: `the auditor cannot read the store: ${this.#unread}` };
    return this.#down ? { health: 'degraded', reason: 'the auditor stopped; it is being restarted' } : { health: 'up' };
  }

  /** Counts the receipts in the log that are not verified yet. */
  behind(): Awaitable<number> {
    const left = (origin: string, size: number): number => Math.max(0, size - (this.#places.get(origin) ?? 0));
    const { reads } = this.#scope;
    return whenKnown(reads.logs(), (logs) =>
      whenKnown(this.#node === undefined ? [] : reads.owners(), (owners) =>
        auditedBy(this.#node, logs, owners).reduce((sum, { origin, size }) => sum + left(origin, size), 0),
      ),
    );
  }

  /** The node whose logs are audited, where other nodes serve too. */
  get #node(): string | undefined {
    const { node, shared } = this.#scope.store;
    return shared ? node.name : undefined;
  }

  async close(): Promise<void> {
    this.#stopWaiting();
    for (const stop of this.#stops) stop();
    await this.#thread?.close();
    this.#save();
    await this.#saving;
  }

  #later(ms: number): () => void {
    return after(
      ms,
      () => this.#run(),
      (error) => this.#ended(error),
    );
  }

  // The thread ended, or could not be started.
  #ended(err: unknown): void {
    this.#scope.log.error({ err }, 'the receipt auditor stopped; the server restarts it');
    this.#thread = this.#unread = undefined;
    this.#idle = false;
    this.#down = true;
    this.#asked.clear();
    this.#stopWaiting = this.#later(restartDelayMs);
  }

  #run(): void {
    const { facts, store } = this.#scope;
    const data = {
      store: store.place,
      facts,
      places: this.#placesOf(this.#places.keys()),
      ...given({ node: this.#node }),
    };
    this.#thread = startAuditThread(data, {
      heard: (message) => this.#heard(message),
      ended: (err) => this.#ended(err),
    });
    this.#askAgain([...this.failing.keys()]);
  }

  #askAgain(ids: readonly string[]): void {
    const fresh = ids.filter((id) => !this.#asked.has(id));
    if (fresh.length === 0 || this.#thread === undefined) return;
    for (const id of fresh) this.#asked.add(id);
    this.#thread.say({ kind: 'again', receipt_ids: fresh });
  }

  #heard(message: News): void {
    this.#down = false;
    this.#noteUnread(message.kind === 'unread' ? message.reason : undefined);
    if (message.kind === 'unread') return;
    if (message.kind === 'idle') {
      this.#idle = true;
      if (this.#grown) this.grew();
      return;
    }
    if (message.kind === 'again') {
      const { failed, receipt_id: id } = message;
      this.#asked.delete(id);
      if (failed === undefined || isRevokedOnly(failed.verdicts)) this.#found([], [id]);
      else this.#found([failed], []);
      return;
    }
    this.#verified += message.verified;
    if (message.place !== undefined) {
      movePlace(this.#places, message.place);
      this.#moved.add(message.place.origin);
    }
    for (const position of message.missing) {
      this.#missing ??= position;
      this.#scope.log.error({ position }, 'an entry of the receipt log has no receipt; run `orb log fsck`');
    }
    const failed = message.failed.filter(({ verdicts }) => !isRevokedOnly(verdicts));
    this.#found(failed, []);
  }

  // This makes no statement about receipts: a receipt that was not read is neither valid nor invalid.
  #noteUnread(reason: string | undefined): void {
    const { log } = this.#scope;
    if (reason !== undefined && this.#unread === undefined)
      log.warn({ reason }, 'the receipt auditor cannot read the store; it tries again');
    if (reason === undefined && this.#unread !== undefined)
      log.info({}, 'the receipt auditor can read the store again');
    this.#unread = reason;
  }

  #found(failed: readonly Failed[], verified: readonly string[]): void {
    const at = timestamp(this.#scope.clock.now());
    const fresh = failed.filter(({ receipt_id: id }) => !this.failing.has(id)).map((found) => ({ ...found, at }));
    const cleared = verified.flatMap((id) => this.failing.get(id) ?? []);
    if (fresh.length + cleared.length === 0) return;
    for (const found of fresh) this.failing.set(found.receipt_id, found);
    for (const { receipt_id: id } of cleared) this.failing.delete(id);
    const findings = [
      ...fresh.map((found) => ({ ...found, state: 'failing' as const })),
      ...cleared.map((found) => ({ ...found, at, verdicts: [], state: 'cleared' as const })),
    ];
    for (const { receipt_id, state, verdicts } of findings)
      this.#scope.log.error({ receipt_id, verdicts }, `the auditor found a receipt to be ${state}`);
    this.#save({ failing: fresh, cleared: cleared.map(({ receipt_id: id }) => id) }, () =>
      findings.forEach(this.#listeners.tell),
    );
  }

  // Save first, then notify: after a crash, too, a listener finds the receipt among the failing ones.
  #save(found: Omit<AuditRecord, 'places'> = { failing: [], cleared: [] }, then: () => void = () => undefined): void {
    const moved = this.#moved;
    if (moved.size === 0 && found.failing.length + found.cleared.length === 0) return;
    // Earlier findings whose write failed are written again.
    const failing = this.#unwritten ? [...this.failing.values()] : found.failing;
    const record = { ...found, failing, places: this.#placesOf(moved) };
    this.#moved = new Set();
    this.#unwritten = false;
    this.#saving = this.#scope.store
      .write([operation(receiptsStore, 'audited', record)])
      .then(() => undefined)
      .catch((err: unknown) => {
        for (const origin of moved) this.#moved.add(origin);
        this.#unwritten = true;
        this.#scope.log.warn({ err }, 'a result of the receipt auditor could not be stored');
      })
      .then(then);
  }

  #placesOf(origins: Iterable<string>): readonly AuditPlace[] {
    return [...origins].map((origin) => ({ origin, next: this.#places.get(origin) ?? 0 }));
  }
}

// The operator revoked the key, so the failure is expected, and such a receipt can never verify again.
function isRevokedOnly(verdicts: readonly string[]): boolean {
  return verdicts.length > 0 && verdicts.every((name) => name === 'key_status_at_index');
}
