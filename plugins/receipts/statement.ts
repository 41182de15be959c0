import { canonical, textOf, type RunFact } from '../../kernel/index.ts';
import type { Commit, Commitment } from './commitment.ts';
import { nonClaims, predicateType, statementType } from './contract.ts';
import { policyOf } from './policy-facts.ts';
import type { RunFacts, RunPredicate } from './run-statement.ts';
import { deriveScoreFact } from './score-fact.ts';
import { scoreRun } from './score.ts';
import { subjects } from './subject.ts';

/** Who issues: constant of one process. */
export interface Issuer {
  /** `ins_<ulid>` */
  readonly installation: string;
  /** Key id of the receipt key. */
  readonly kid: string;
  /** Version of the program. */
  readonly version: string;
  /** Name of the log that takes the receipts. */
  readonly origin: string;
}

/** The predicate of a run but for the two members that the writer adds. */
export type RunDraft = Omit<RunPredicate, 'sequence' | 'previous_digest'>;

/** A draft with the commitments made for it, to be kept or forgotten. */
export interface Drafted {
  readonly draft: RunDraft;
  readonly inputs: Commitment;
  readonly outputs?: Commitment;
}

// Objects below are written with their members in canonical order, so that JSON.stringify yields the canonical form
// at a tenth of the cost of sorting; a test compares the two.

/** Builds the predicate of a run from what the kernel knows of it. Members are copied one by one: nothing else enters. */
export function draftRun(fact: RunFact, receiptId: string, issuer: Issuer, commit: Commit): Drafted {
  const inputs = commit(fact.inputs);
  const outputs = fact.outputs === undefined ? undefined : commit(fact.outputs);
  const facts = factsOf(fact, commit, inputs, outputs);
  const execution = wholeMilliseconds(fact.execution_ms);
  const { status, standing } = fact;
  const by = issuedBy(issuer);
  const scored = { status, execution_ms: execution, facts };
  const derived = deriveScoreFact(scored);
  const draft: RunDraft = {
    execution_ms: execution,
    facts,
    finished_at: fact.finished_at,
    issuer: by.issuer,
    log: by.log,
    mode: fact.mode,
    non_claims: claims,
    orb_id: fact.orb_id,
    orbiset_id: fact.orbiset_id,
    ...(fact.reason === undefined ? {} : { reason: fact.reason }),
    receipt_id: receiptId,
    run_id: fact.run_id,
    score: scoreRun(scored),
    score_fact: {
      ...(standing.caller_ref === undefined ? {} : { caller_ref: standing.caller_ref }),
      is_self: standing.is_self,
      ...(derived.latency_ok === undefined ? {} : { latency_ok: derived.latency_ok }),
      outcome_class: derived.outcome_class,
    },
    started_at: fact.started_at,
    status,
    tenant: fact.tenant,
  };
  return { draft, inputs, ...(outputs === undefined ? {} : { outputs }) };
}

// Frozen, and typed as the schema has it: nobody writes to a draft.
const claims = Object.freeze([...nonClaims]) as unknown as RunDraft['non_claims'];
const issued = new WeakMap<Issuer, Pick<RunDraft, 'issuer' | 'log'>>();

// The same frozen parts in every statement of an issuer: their text is made once, too.
function issuedBy(by: Issuer): Pick<RunDraft, 'issuer' | 'log'> {
  const known = issued.get(by);
  if (known !== undefined) return known;
  const { installation, kid, version, origin } = by;
  const parts = { issuer: Object.freeze({ installation, kid, version }), log: Object.freeze({ origin }) };
  issued.set(by, parts);
  return parts;
}

function factsOf(fact: RunFact, commit: Commit, inputs: Commitment, outputs: Commitment | undefined): RunFacts {
  const { action, attempts, data, latency, orb, outcome, principal, provider, schema } = fact.facts;
  // The kernel types some words as plain text; the statement's schema lists them, and every read checks it.
  return {
    action: {
      ...(action.caller_deadline === undefined ? {} : { caller_deadline: action.caller_deadline }),
      class: action.class,
      ...(action.delivery === undefined ? {} : { delivery: action.delivery }),
      effect: action.effect,
    },
    attempts: attempts.map(attemptOf),
    data: { classes: [...data.classes] },
    inputs: { commitment: inputs.digest, size: inputs.size },
    key: { custody: 'in_process' },
    ...(latency === undefined ? {} : { latency: { objective_ms: latency.objective_ms } }),
    orb: {
      manifest_digest: orb.manifest_digest,
      manifest_signed: orb.manifest_signed,
      state: orb.state,
      tier: orb.tier,
    },
    outcome,
    ...(outputs === undefined ? {} : { outputs: { commitment: outputs.digest, size: outputs.size } }),
    policy: policyOf(fact.decision, commit),
    principal,
    ...(provider === undefined ? {} : { provider: providerOf(provider) }),
    schema: { inputs: schema.inputs, outputs: schema.outputs },
  } as RunFacts;
}

function attemptOf(attempt: RunFact['facts']['attempts'][number]): RunFacts['attempts'][number] {
  return {
    adapter: attempt.adapter,
    config_digest: attempt.config_digest,
    generation: attempt.generation,
    latency_ms: wholeMilliseconds(attempt.latency_ms),
    ...(attempt.lookup === undefined ? {} : { lookup: attempt.lookup }),
    outcome: attempt.outcome,
    ...(attempt.phase === undefined ? {} : { phase: attempt.phase }),
    provider: attempt.provider,
  };
}

function providerOf(provider: NonNullable<RunFact['facts']['provider']>): NonNullable<RunFacts['provider']> {
  return {
    generation: provider.generation,
    health: provider.health,
    name: provider.name,
    ...(provider.swap_id === undefined ? {} : { swap_id: provider.swap_id }),
  };
}

function wholeMilliseconds(duration: number): number {
  return Math.max(0, Math.round(duration));
}

/**
 * The canonical text of a statement around the two members the writer adds, each part a JSON object of its own: cheap
 * to complete, nothing to re-sort, and put together where it is signed.
 */
export interface SplitStatement {
  /** The predicate up to `orbiset_id`. */
  readonly head: string;
  /** From the member after `previous_digest` to `score_fact`. */
  readonly middle: string;
  /** The members after `sequence`. */
  readonly tail: string;
  readonly predicateType: string;
  /** A JSON list. */
  readonly subjects: string;
}

/** Serialises a draft in canonical form, split where `previous_digest` and `sequence` belong. */
export function splitStatement(draft: RunDraft): SplitStatement {
  const { reason, score_fact } = draft;
  const split = {
    head: `{"execution_ms":${draft.execution_ms},"facts":${JSON.stringify(draft.facts)},"finished_at":${quoted(draft.finished_at)},"issuer":${textOf(draft.issuer)},"log":${textOf(draft.log)},"mode":${quoted(draft.mode)},"non_claims":${textOf(draft.non_claims)},"orb_id":${quoted(draft.orb_id)},"orbiset_id":${quoted(draft.orbiset_id)}}`,
    middle: `{${reason === undefined ? '' : `"reason":${quoted(reason)},`}"receipt_id":${quoted(draft.receipt_id)},"run_id":${quoted(draft.run_id)},"score":${JSON.stringify(draft.score)},"score_fact":${JSON.stringify(score_fact)}}`,
    tail: `{"started_at":${quoted(draft.started_at)},"status":${quoted(draft.status)},"tenant":${quoted(draft.tenant)}}`,
    predicateType: predicateType('run'),
    subjects: JSON.stringify(subjects(draft)),
  };
  // JSON.stringify escapes a lone surrogate where RFC 8785 refuses it.
  if (Object.values(split).some((part) => part.includes('\\ud'))) canonical(draft);
  return split;
}

const plain = /^[\w .:@/+-]*$/;

// Most words need no escape, and a look at them costs less than JSON.stringify.
function quoted(word: string): string {
  return plain.test(word) ? `"${word}"` : JSON.stringify(word);
}

/** Completes a split statement with the place in its chain; `previousDigest` is absent iff `sequence` is 1. */
export function completeStatement(split: SplitStatement, sequence: number, previousDigest: string | undefined): string {
  const { head, middle, tail, predicateType: type, subjects: subject } = split;
  const previous = previousDigest === undefined ? '' : `,"previous_digest":"${previousDigest}"`;
  const predicate = `${head.slice(0, -1)}${previous},${middle.slice(1, -1)},"sequence":${sequence},${tail.slice(1)}`;
  return `{"_type":"${statementType}","predicate":${predicate},"predicateType":"${type}","subject":${subject}}`;
}
