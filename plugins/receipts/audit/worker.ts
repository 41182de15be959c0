import { constants, setPriority } from 'node:os';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { viewStore, type FactKind } from '../../../kernel/index.ts';
import receiptsStore, { type Reads } from '../store.ts';
import { pause, resting } from './rest.ts';
import { auditAgain, auditRound, type Failed, type Round } from './round.ts';
import type { AuditPlace } from './tables.ts';

/** What the auditor is started with. */
export interface AuditData {
  readonly stateDir: string;
  readonly facts: readonly FactKind[];
  readonly place?: AuditPlace;
}

/** What the main thread says: that the log has grown, which receipts to verify again, that it is over. */
export type ToAuditor =
  | { readonly kind: 'look' }
  | { readonly kind: 'again'; readonly receipt_ids: readonly string[] }
  | { readonly kind: 'close' };

/** What the auditor says: that it has begun, what a round found, what became of a receipt it verified again, the end. */
export type FromAuditor =
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'round' } & Round)
  | { readonly kind: 'again'; readonly receipt_id: string; readonly failed?: Failed }
  | { readonly kind: 'idle' };

async function main(port: MessagePort, { facts, place: first, stateDir }: AuditData): Promise<void> {
  const view = await viewStore(stateDir);
  if (view === undefined) throw new Error('there is no store to audit');
  const say = (message: FromAuditor): void => port.postMessage(message);
  say({ kind: 'begun' });
  // Not before: until it has begun, nobody can end it.
  takeLowestPriority();
  const reads: Reads = receiptsStore.read(view);
  const again: string[] = [];
  let place = first;
  let grown = true;
  const closing = new AbortController();
  let wake: (() => void) | undefined;
  port.on('message', (message: ToAuditor) => {
    if (message.kind === 'close') closing.abort();
    else if (message.kind === 'look') grown = true;
    else again.push(...message.receipt_ids);
    wake?.();
  });
  while (!closing.signal.aborted) {
    const rest = resting();
    const id = again.shift();
    if (id !== undefined) {
      const failed = auditAgain(reads, id, facts);
      say({ kind: 'again', receipt_id: id, ...(failed === undefined ? {} : { failed }) });
    } else if (grown) {
      const round = auditRound(reads, place, facts);
      place = round.place;
      grown = round.verified + round.missing.length > 0;
      if (grown) say({ kind: 'round', ...round });
    } else {
      say({ kind: 'idle' });
      await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      continue;
    }
    await pause(rest(), closing.signal);
  }
  view.close();
  port.close();
}

// On Linux each thread has a priority of its own; elsewhere this would slow the whole process.
function takeLowestPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it; the rests remain.
  }
}

if (parentPort === null) throw new Error('worker.ts runs as a thread only');
void main(parentPort, workerData as AuditData);
