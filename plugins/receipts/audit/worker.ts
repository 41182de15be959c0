import { constants, setPriority } from 'node:os';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { ReadFailed, viewStore, type StorePlace } from '../../../kernel/maintenance.ts';
import type { FactKind } from '../format/fact-kind.ts';
import receiptsStore, { type Reads } from '../store.ts';
import { pause, resting } from './rest.ts';
import { auditAgain, auditRound, movePlace, type Failed, type Round } from './round.ts';
import type { AuditPlace } from '../log/rows/audit.ts';

/** Start data of the auditor. */
export interface AuditData {
  readonly store: StorePlace;
  readonly facts: readonly FactKind[];
  readonly places: readonly AuditPlace[];
  /** The node whose logs are audited; absent: all logs are. */
  readonly node?: string;
}

/** Messages of the main thread: the log has grown, verify these receipts again, end. */
export type ToAuditor =
  | { readonly kind: 'look' }
  | { readonly kind: 'again'; readonly receipt_ids: readonly string[] }
  | { readonly kind: 'close' };

/**
 * Messages of the auditor: it has begun, the result of a round, the result of a second verification, the store could not
 * be read and is read again, it has come to the end.
 */
export type FromAuditor =
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'round' } & Round)
  | { readonly kind: 'again'; readonly receipt_id: string; readonly failed?: Failed }
  | { readonly kind: 'unread'; readonly reason: string }
  | { readonly kind: 'idle' };

const unreadMs = 1000;
// On a server that is not busy, a round for each receipt would take as much of a processor as the thread that serves.
const gatheringMs = 200;

async function main(port: MessagePort, { facts, node, places: saved, store }: AuditData): Promise<void> {
  const view = await viewStore(store, { serving: true });
  if (view === undefined) throw new Error('the store to audit does not exist');
  const say = (message: FromAuditor): void => port.postMessage(message);
  say({ kind: 'begun' });
  // Not earlier: a thread that has not begun yet cannot be ended.
  takeLowestPriority();
  const reads: Reads = receiptsStore.read(view);
  const again: string[] = [];
  const places = new Map(saved.map(({ next, origin }) => [origin, next]));
  let grown = true;
  const closing = new AbortController();
  let wake: (() => void) | undefined;
  port.on('message', (message: ToAuditor) => {
    if (message.kind === 'close') closing.abort();
    else if (message.kind === 'look') grown = true;
    else again.push(...message.receipt_ids);
    wake?.();
  });
  // Answers the least rest after it.
  const work = (): number => {
    const [id] = again;
    if (id !== undefined) {
      const failed = auditAgain(reads, id, facts);
      again.shift();
      say({ kind: 'again', receipt_id: id, ...(failed === undefined ? {} : { failed }) });
      return 0;
    }
    const { more, ...round } = auditRound(reads, places, facts, node);
    if (round.place !== undefined) movePlace(places, round.place);
    grown = round.verified + round.missing.length > 0;
    if (grown) say({ kind: 'round', ...round });
    return more ? 0 : gatheringMs;
  };
  while (!closing.signal.aborted) {
    const rest = resting();
    if (again.length > 0 || grown) await pause(Math.max(unlessUnread(work, say), rest()), closing.signal);
    else {
      say({ kind: 'idle' });
      await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
    }
  }
  view.close();
  port.close();
}

// Nothing follows from a store that could not be read but that it is to be read again: answers after how many ms.
function unlessUnread(work: () => number, say: (message: FromAuditor) => void): number {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error;
    say({ kind: 'unread', reason: error.message });
    return unreadMs;
  }
}

// On Linux each thread has its own priority; on other systems this would slow the whole process.
function takeLowestPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it; the rests still limit the load.
  }
}

if (parentPort === null) throw new Error('worker.ts can only run as a thread');
void main(parentPort, workerData as AuditData);
