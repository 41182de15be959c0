import { timestamp, type Clock } from '../../clock.ts';
import type { Receipt, RunFact } from '../../fact.ts';
import type { Hooks } from '../../hooks.ts';
import type { Log } from '../../log.ts';
import { operation, type Store } from '../../store/contract.ts';
import { providerKey } from '../attempt.ts';
import type { Bindings } from '../bindings.ts';
import type { Attempt } from '../run.ts';
import { runRow } from '../run-fact.ts';
import runtimeStore from '../store.ts';
import type { StoredAnswer } from './answer.ts';
import journalStore, { type KeyRow } from './store.ts';

/** What recovering needs. */
export interface RecoverOptions {
  readonly store: Store;
  readonly hooks: Hooks;
  readonly bindings: Bindings;
  readonly clock: Clock;
  readonly log: Log;
}

const lookupMs = 5000;

/**
 * Gives every run that a crash interrupted its receipt: what was dispatched and not answered is unknown, reason
 * `interrupted`, unless the provider can be asked by our key. Its idempotency key gets the same
 * answer, or is free when nothing was sent; none stays open.
 */
export async function recoverRuns(options: RecoverOptions): Promise<number> {
  const { store, log } = options;
  const reads = store.reads(journalStore);
  const keys = new Map(reads.openKeys().map((row) => [row.subject, row]));
  const open = reads.openRuns();
  for (const { run_id, fact } of open) {
    const left = JSON.parse(Buffer.from(store.sealer.open('inputs', fact)).toString()) as RunFact;
    const known = await settled(left, options);
    log.warn({ run_id, orb_id: left.orb_id, status: known.status }, 'a run was interrupted; it gets its receipt now');
    await attest(known, keys.get(run_id), options);
  }
  return open.length;
}

async function settled(left: RunFact, { bindings, clock }: RecoverOptions): Promise<RunFact> {
  const finished = clock.now();
  const execution_ms = Math.max(0, finished - Date.parse(left.started_at));
  const ended = { ...left, finished_at: timestamp(finished), execution_ms };
  const last = left.facts.attempts.at(-1);
  const slot = bindings.orderOf(left.orb_id).find(({ provider }) => provider.name === last?.provider);
  const found = await slot?.generation?.transport.lookup(providerKey(left.run_id, slot.provider.name), lookupMs);
  if (last === undefined || found === undefined) return ended;
  return found === 'absent' ? absent(ended, last) : present(ended, last, found);
}

function present({ reason: _, ...left }: RunFact, last: Attempt, outputs: Record<string, unknown>): RunFact {
  const { phase: __, ...attempt } = last;
  const attempts = [
    ...left.facts.attempts.slice(0, -1),
    { ...attempt, outcome: 'accepted' as const, lookup: 'present' as const },
  ];
  const schema = { ...left.facts.schema, outputs: 'valid' as const };
  return { ...left, status: 'completed', outputs, facts: { ...left.facts, attempts, schema, outcome: 'accepted' } };
}

function absent(left: RunFact, last: Attempt): RunFact {
  const attempts = [...left.facts.attempts.slice(0, -1), { ...last, lookup: 'absent' as const }];
  return { ...left, status: 'failed', facts: { ...left.facts, attempts } };
}

async function attest(fact: RunFact, key: KeyRow | undefined, { hooks }: RecoverOptions): Promise<void> {
  await hooks.attest({
    fact,
    operations: (receiptId, summary) => [
      operation(runtimeStore, 'insertRun', runRow(fact, receiptId)),
      operation(journalStore, 'closeRun', { run_id: fact.run_id }),
      ...(key === undefined || summary === undefined ? [] : [settledKey(key, fact, summary)]),
    ],
  });
}

// As without a crash: what was never sent frees the key, anything else is its answer from now on.
function settledKey({ answer: _, ...claim }: KeyRow, fact: RunFact, receipt: Omit<Receipt, 'signature_valid'>) {
  const sent = fact.facts.attempts.some(
    ({ lookup, outcome }) => lookup !== 'absent' && outcome !== 'not_sent' && outcome !== 'throttled',
  );
  if (!sent) return operation(journalStore, 'freeKey', claim);
  const { run_id, status, outputs = {}, execution_ms } = fact;
  const completed: StoredAnswer = { body: { run_id, status, outputs, receipt, execution_ms } };
  const failed: StoredAnswer = {
    code: status === 'failed' ? 'provider_unavailable' : 'outcome_unknown',
    detail: 'the service stopped during the run; see its receipt',
    extensions: { run_id, receipt },
  };
  return operation(journalStore, 'finishKey', {
    ...claim,
    answer: JSON.stringify(status === 'completed' ? completed : failed),
  });
}
