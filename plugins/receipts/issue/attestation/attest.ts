import { operation, type Attestation, type Fact, type Operation } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../format/base64.ts';
import type { Appended, SentStatement, ToAppend } from '../append-receipt.ts';
import { opening, type Commit, type Commitment } from '../../format/commitment.ts';
import { splitStatement, type Sent, type SentShapes } from '../split-statement.ts';
import { draftRun, type Drafted, type RunDraft } from '../run-draft.ts';
import { draftOther } from '../other-statement.ts';
import type { Serving } from '../../read/serving.ts';
import { completeResolution, type ReceiptsOfRun } from './resolution.ts';
import receiptsStore from '../../store.ts';
import { reasonToKeep } from './reason.ts';
import type { AttestedRun, Opening, ResolutionFact, RunFact, KnownFact } from '../../../runtime/contract.ts';

/** What attesting needs. */
export interface AttestScope extends Pick<Serving, 'clock' | 'ids' | 'keys' | 'kinds' | 'log' | 'store'> {
  readonly commit: Commit;
  /** How long the reason of a failed run is kept; 0: not at all. */
  readonly reasonsDays: number;
  readonly receiptsOfRun: ReceiptsOfRun;
  readonly shapes: SentShapes;
}

/**
 * Attests one fact: resolves after the durable commit of its receipt together with the fact's operations, or rejects
 * and neither is stored.
 */
export function attest(given: Fact, scope: AttestScope): Promise<Attestation> {
  // A plugin attests only the kinds that it declares, and none of the kinds with a type of their own.
  const fact = given.fact as KnownFact;
  return isRun(fact) ? attestRun(fact, given, scope) : attestOther(fact, given, scope);
}

const isRun = (fact: KnownFact): fact is RunFact => fact.kind === 'run';
const isResolution = (fact: KnownFact): fact is ResolutionFact => fact.kind === 'resolution';

// Not an async function: its local objects would live until the commit, and under load they are most of what the
// garbage collector has to copy.
function attestRun(fact: RunFact, given: Fact, scope: AttestScope): Promise<AttestedRun> {
  const receipt_id = scope.ids('rec');
  const drafted = draftRun(fact, receipt_id, scope.keys.issuer, scope.commit);
  const { draft } = drafted;
  const { trust_score, risk_level } = draft.score;
  const timestamp = draft.finished_at;
  const receipt = { receipt_id, trust_score, risk_level, timestamp };
  const summary: Summary = fact.disclose === true ? { ...receipt, opening: openingOf(drafted) } : receipt;
  const { parts, values } = splitStatement(draft);
  const sent = scope.shapes.find(draft.orbiset_id, draft.orb_id, parts);
  const written = scope.store.write([
    operation(receiptsStore, 'append', runToAppend(draft, { shape: sent.shape, values })),
    ...kept(fact, receipt_id, drafted, scope.clock.now()),
    ...reasonOf(fact, receipt_id, scope),
    ...given.operations(receipt_id, summary),
  ]);
  return answered(written, summary, sent);
}

type Summary = Omit<AttestedRun, 'signature_valid'>;

function answered(
  written: Promise<readonly [Appended, ...unknown[]]>,
  summary: Summary,
  sent: Sent,
): Promise<AttestedRun> {
  const { receipt_id, trust_score, risk_level, timestamp, opening } = summary;
  return written.then(([{ signature_valid }]) => {
    sent.held();
    const receipt = { receipt_id, trust_score, risk_level, signature_valid, timestamp };
    return opening === undefined ? receipt : { ...receipt, opening };
  });
}

function openingOf({ inputs, outputs }: Drafted): Opening {
  const inputs_salt = encodeBase64(inputs.salt);
  return outputs === undefined ? { inputs_salt } : { inputs_salt, outputs_salt: encodeBase64(outputs.salt) };
}

function runToAppend(draft: RunDraft, statement: SentStatement): ToAppend {
  return {
    kind: 'run',
    statement,
    receipt_id: draft.receipt_id,
    run_id: draft.run_id,
    tenant: draft.tenant,
    orbiset_id: draft.orbiset_id,
    orb_id: draft.orb_id,
    status: draft.status,
    origin: draft.log.origin,
    timestamp: draft.finished_at,
    trust_score: draft.score.trust_score,
    risk_level: draft.score.risk_level,
    kid: draft.issuer.kid,
  };
}

async function attestOther(known: Exclude<KnownFact, RunFact>, given: Fact, scope: AttestScope): Promise<Attestation> {
  const fact = isResolution(known) ? await completeResolution(known, scope.receiptsOfRun, scope.commit) : known;
  const receipt_id = scope.ids('rec');
  const drafted = draftOther(fact, receipt_id, { ...scope, issuer: scope.keys.issuer });
  const written = scope.store.write([operation(receiptsStore, 'append', drafted), ...given.operations(receipt_id)]);
  const [{ signature_valid }] = await written;
  return { receipt_id, signature_valid, timestamp: fact.at };
}

const nothing: readonly Operation[] = [];

function reasonOf(fact: RunFact, receiptId: string, { clock, reasonsDays: days }: AttestScope): readonly Operation[] {
  if (fact.failure === undefined) return nothing;
  const value = reasonToKeep(fact, receiptId, { days, now: clock.now() });
  return value === undefined ? nothing : [operation(receiptsStore, 'keepValue', value)];
}

const dayMs = 86_400_000;

function kept({ retention_days: days }: RunFact, receipt_id: string, { inputs, outputs }: Drafted, now: number) {
  const keep = (name: 'inputs' | 'outputs', commitment: Commitment | undefined): Operation[] => {
    if (commitment === undefined || days[name] <= 0) return [];
    const value = { receipt_id, name, opening: opening(commitment), erase_at: now + days[name] * dayMs };
    return [operation(receiptsStore, 'keepValue', value)];
  };
  return [...keep('inputs', inputs), ...keep('outputs', outputs)];
}
