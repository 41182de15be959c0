import type { RuntimeScope } from '../facts/scope.ts';
import { checked, type Checked } from '../dispatch/attempt.ts';
import { providerKey } from '../facts/provider-key.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { Attempt, AttestedRun, RunFact } from '../facts/facts.ts';
import type { MeterPort, Settlement } from '../facts/metering.ts';
import { interruptedSettlement } from '../run/metering.ts';
import { runRow, withMetering, type InterruptedFact } from '../run/run-fact.ts';
import { believesAbsent } from '../dispatch/look-up.ts';
import { unansweredProviders, wasSent } from '../outcome/unanswered-attempts.ts';
import runtimeStore from '../store.ts';
import type { StoredAnswer } from '../journal/answer.ts';
import { answerKeptMs } from '../journal/keys.ts';
import { guardedMs } from '../journal/repeats.ts';
import { answerClaim } from '../queue/request.ts';
import { askingOf } from '../journal/owner.ts';
import queueStore from '../queue/store.ts';
import { mayBeTakenLater } from '../journal/store-retry.ts';
import journalStore, { repeatMethod, type KeyRow, type OpenRunRow } from '../journal/store.ts';
import {
  canonical,
  given,
  timestamp,
  type PlatformError,
  operation,
  type NodeIdentity,
  type Store,
} from '../../../kernel/index.ts';

/** The dependencies of recovering. */
export interface RecoverOptions extends Omit<RuntimeScope, 'ids'> {
  readonly bindings: Bindings;
  readonly meter?: MeterPort | undefined;
}

const lookupMs = 5000;
// Look-ups wait for their providers, and receipts share their commits.
const atOnce = 64;

/**
 * Gives every run that a crash interrupted its receipt: a call that was dispatched and not answered is unknown, reason
 * `interrupted`, unless the provider can be asked by our key. The run's idempotency key gets the same answer, or is
 * free when nothing was sent. A run that cannot have its receipt keeps its intent and its key, and stops neither the
 * others nor the start. Resolves to how many runs got their receipt. `ended`: the process that left them, else earlier
 * starts of this node; then it rejects when the store did not take the receipt of some run: call it again.
 */
export async function recoverRuns(options: RecoverOptions, ended?: NodeIdentity): Promise<number> {
  const { store, log } = options;
  const reads = store.reads(journalStore);
  const asking = askingOf(store, ended);
  const open = await reads.openRuns(asking);
  // The key of a run that waited belongs to the process that accepted it.
  const taken = [...(await reads.openKeys(asking)), ...(await reads.openKeysOf(open.map(({ run_id }) => run_id)))];
  const keys = new Map(taken.map((row) => [row.subject, row]));
  let recovered = 0;
  let refused: PlatformError | undefined;
  const recover = async ({ run_id, fact }: OpenRunRow): Promise<void> => {
    try {
      const left = readIntent(Buffer.from(store.sealer.open('inputs', fact)).toString());
      const known = await settled(left, options);
      const settlement = await interruptedSettlement({ ...known, ...given({ metered: left.metered }) }, options.meter);
      log.warn(
        { run_id, orb_id: left.orb_id, status: known.status },
        'a run was interrupted; the server issues its receipt now',
      );
      await attest(known, { key: keys.get(run_id), settlement }, options);
      recovered += 1;
    } catch (error) {
      if (mayBeTakenLater(error)) refused = error;
      log.error(
        { err: error, run_id },
        'the receipt of an interrupted run could not be issued; the run stays open until the next start',
      );
    }
  };
  for (let at = 0; at < open.length; at += atOnce) await Promise.all(open.slice(at, at + atOnce).map(recover));
  for (const { run_id } of open) keys.delete(run_id);
  const queued = await store.reads(queueStore).callersOf([...keys.keys()]);
  await freeIdle(
    [...keys.values()].filter(({ subject }) => !queued.has(subject)),
    store,
  );
  if (ended !== undefined && refused !== undefined) throw refused;
  return recovered;
}

// Keys whose work had no effect yet: it has neither an intent nor a swap (those were settled before), nor does it wait.
async function freeIdle(keys: readonly KeyRow[], store: Store): Promise<void> {
  if (keys.length > 0) await store.write(keys.map((row) => operation(journalStore, 'freeIdleKey', row)));
}

function readIntent(text: string): InterruptedFact {
  const fact = JSON.parse(text) as Omit<InterruptedFact, 'inputs'> & { readonly inputs: unknown };
  // Earlier builds stored the inputs themselves.
  return { ...fact, inputs: typeof fact.inputs === 'string' ? fact.inputs : canonical(fact.inputs) };
}

async function settled(left: RunFact, { bindings, clock, store }: RecoverOptions): Promise<RunFact> {
  const finished = clock.now();
  const execution_ms = Math.max(0, finished - Date.parse(left.started_at));
  const ended = { ...left, finished_at: timestamp(finished), execution_ms };
  const last = left.facts.attempts.at(-1);
  const binding = bindings.find(left.orb_id);
  const slot = binding?.order.find(({ provider }) => provider.name === last?.provider);
  const found = await slot?.generation?.transport.lookup(providerKey(left.run_id, slot.provider.name), lookupMs);
  if (last === undefined || binding === undefined || found === undefined) return ended;
  if (found === 'absent')
    return believesAbsent(store, { ...binding.orb, since: left.started_at }, finished) ? absent(ended, last) : ended;
  return present(ended, last, checked({ outcome: 'accepted', outputs: found }, binding.orb));
}

// The outputs of a look-up are checked as those of a call.
function present(left: RunFact, last: Attempt, { checked: verdict, outcome: found, outputs }: Checked): RunFact {
  const { phase: _, ...attempt } = last;
  const { outcome } = found;
  const attempts = [...left.facts.attempts.slice(0, -1), { ...attempt, outcome, lookup: 'present' as const }];
  const facts = { ...left.facts, attempts, schema: { ...left.facts.schema, outputs: verdict } };
  const answered = { ...left, ...(outputs === undefined ? {} : { outputs }) };
  if (outcome !== 'accepted' && unansweredProviders(attempts).length > 0) return { ...answered, facts };
  const { reason: __, ...ended } = { ...answered, facts: { ...facts, outcome } };
  return outcome === 'accepted' ? { ...ended, status: 'completed' } : { ...ended, status: 'failed', reason: outcome };
}

// `absent` settles the run only if every earlier provider answered, too.
function absent(left: RunFact, last: Attempt): RunFact {
  const attempts = [...left.facts.attempts.slice(0, -1), { ...last, lookup: 'absent' as const }];
  const status = unansweredProviders(attempts).length > 0 ? left.status : 'failed';
  return { ...left, status, facts: { ...left.facts, attempts } };
}

interface With {
  readonly key: KeyRow | undefined;
  readonly settlement: Settlement | undefined;
}

async function attest(known: RunFact, { key, settlement }: With, options: RecoverOptions): Promise<void> {
  const { hooks, store, clock } = options;
  const fact = settlement === undefined ? known : withMetering(known, settlement);
  const now = clock.now();
  const waited = (await store.reads(queueStore).find(fact.run_id)) !== undefined;
  const own = waited ? [answerClaim(fact.facts.principal, fact.run_id, now)] : [];
  const claims: readonly Claimed[] = key === undefined ? own : [key, ...own];
  await hooks.attest({
    fact,
    operations: (receiptId, summary) => [
      operation(runtimeStore, 'insertRun', runRow(fact, receiptId)),
      operation(journalStore, 'closeRun', { run_id: fact.run_id }),
      ...(settlement?.operations ?? []),
      ...(waited ? [operation(queueStore, 'leave', { run_id: fact.run_id })] : []),
      ...(summary === undefined ? [] : claims.map((claim) => settledKey({ ...claim, now }, { fact, waited }, summary))),
    ],
  });
}

type Claimed = Omit<KeyRow, 'answer'>;

// As without a crash: a run that was never sent frees the key, unless it waited; any other becomes the key's answer.
function settledKey(
  claim: Claimed & { readonly now: number },
  { fact, waited }: { readonly fact: RunFact; readonly waited: boolean },
  summary: Omit<AttestedRun, 'signature_valid'>,
) {
  const { opening, ...receipt } = summary;
  if ((!waited || claim.method === repeatMethod) && !wasSent(fact.facts.attempts))
    return operation(journalStore, 'freeKey', claim);
  const { run_id, status, reason, execution_ms } = fact;
  const outputs = JSON.parse(fact.outputs ?? '{}') as object;
  const unanswered = unansweredProviders(fact.facts.attempts).length > 0 ? 'provider_failed' : 'provider_unavailable';
  const fault = reason === 'invalid_outputs' ? reason : unanswered;
  const completed: StoredAnswer = { body: given({ run_id, status, outputs, receipt, execution_ms, opening }) };
  const failed: StoredAnswer = {
    code: status === 'failed' ? fault : 'outcome_unknown',
    detail: 'the service stopped during the run; see its receipt',
    extensions: given({ run_id, run_status: status, receipt, opening }),
  };
  const answer = status === 'completed' ? completed : failed;
  // From now on: a run may have waited, or the service been away, for longer than a key is kept.
  const expires_at =
    claim.now + (claim.method === repeatMethod ? guardedMs(fact.facts.action.effect, answer) : answerKeptMs);
  return operation(journalStore, 'finishKey', { ...claim, expires_at, answer: JSON.stringify(answer) });
}
