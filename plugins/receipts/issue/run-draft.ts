import { canonical, perFrozen, type Decision } from '../../../kernel/index.ts';
import { commitWith, type Commit, type Commitment } from '../format/commitment.ts';
import { nonClaims } from '../contract.ts';
import { runFacts, type RunFacts, type RunPredicate } from '../format/run-statement.ts';
import { deriveScoreFact, scoreRun } from '../format/score.ts';
import type { RunFact } from '../../runtime/contract.ts';

/** The issuer: constant within one process. */
export interface Issuer {
  /** `ins_<ulid>` */
  readonly installation: string;
  /** Key id of the receipt key. */
  readonly kid: string;
  /** Version of the program. */
  readonly version: string;
  /** Name of the log that the receipts go into. */
  readonly origin: string;
}

/** The predicate of a run without the two members that the writer adds. */
export type RunDraft = Omit<RunPredicate, 'sequence' | 'previous_digest'>;

/** A draft with its commitments, whose values are then kept or dropped. */
export interface Drafted {
  readonly draft: RunDraft;
  readonly inputs: Commitment;
  readonly outputs?: Commitment;
}

/** Builds the predicate of a run from the runtime's fact. Members are copied by the schema, so no other member gets in. */
export function draftRun(fact: RunFact, receiptId: string, issuer: Issuer, commit: Commit): Drafted {
  const inputs =
    fact.inputs_salt === undefined
      ? commit(fact.inputs)
      : commitWith(Buffer.from(fact.inputs_salt, 'base64'), fact.inputs);
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

// Frozen, and typed as in the schema: no code writes to a draft.
const claims = Object.freeze([...nonClaims]) as unknown as RunDraft['non_claims'];

// The same frozen parts are reused in all statements of an issuer, and those of the same Orb and provider: the
// serialiser then creates the text of a frozen part only once.
const issuedBy = perFrozen(({ installation, kid, version, origin }: Issuer): Pick<RunDraft, 'issuer' | 'log'> => {
  return { issuer: Object.freeze({ installation, kid, version }), log: Object.freeze({ origin }) };
});

/** Copies a value by the schema of the statement, so that no member that it does not name gets in. */
function copyBy<T>(schema: object, value: T): T {
  if (Array.isArray(value)) return Object.freeze([...(value as unknown[])]) as T;
  const { properties } = schema as { readonly properties?: Readonly<Record<string, object>> };
  if (properties === undefined) return value;
  const copy: Record<string, unknown> = {};
  for (const name in properties) {
    const given = (value as Readonly<Record<string, unknown>>)[name];
    const member = properties[name];
    if (given !== undefined && member !== undefined) copy[name] = copyBy(member, given);
  }
  return Object.freeze(copy) as T;
}

// Frozen too: the same copy for as long as the fact's part is the same object.
type Facts = RunFact['facts'];
const schemas = runFacts.properties;
const copies = {
  action: perFrozen((part: Facts['action']) => copyBy(schemas.action, part)),
  channel: perFrozen((part: NonNullable<Facts['channel']>) => copyBy(schemas.channel, part)),
  data: perFrozen((part: Facts['data']) => copyBy(schemas.data, part)),
  latency: perFrozen((part: NonNullable<Facts['latency']>) => copyBy(schemas.latency, part)),
  orb: perFrozen((part: Facts['orb']) => copyBy(schemas.orb, part)),
  provider: perFrozen((part: NonNullable<Facts['provider']>) => copyBy(schemas.provider, part)),
  schema: perFrozen((part: Facts['schema']) => copyBy(schemas.schema, part)),
};
const key = Object.freeze({ custody: 'in_process' as const });

function factsOf(fact: RunFact, commit: Commit, inputs: Commitment, outputs: Commitment | undefined): RunFacts {
  const { action, approval, attempts, channel, data, latency, orb, outcome, principal, provider, schema, upstream } =
    fact.facts;
  const { cost, model, usage } = fact.facts;
  // The kernel types some words as plain text; the statement's schema lists the values, and every read checks them.
  return {
    action: copies.action(action),
    ...(approval === undefined ? undefined : { approval: copyBy(schemas.approval, approval) }),
    attempts: attempts.map(attemptOf),
    ...(channel === undefined ? undefined : { channel: copies.channel(channel) }),
    data: copies.data(data),
    inputs: { commitment: inputs.digest, size: inputs.size },
    key,
    ...(latency === undefined ? undefined : { latency: copies.latency(latency) }),
    orb: copies.orb(orb),
    outcome,
    ...(outputs === undefined ? undefined : { outputs: { commitment: outputs.digest, size: outputs.size } }),
    policy: policyOf(fact.decision, commit),
    principal,
    ...(provider === undefined ? undefined : { provider: copies.provider(provider) }),
    schema: copies.schema(schema),
    ...(upstream === undefined ? undefined : { upstream: copyBy(schemas.upstream, upstream) }),
    ...(cost === undefined && usage === undefined && model === undefined ? undefined : meteredOf(fact.facts)),
  } as RunFacts;
}

function meteredOf({ cost, model, prices_digest, usage }: Facts) {
  return {
    ...(cost === undefined ? undefined : { cost: copyBy(schemas.cost, cost) }),
    ...(model === undefined ? undefined : { model: copyBy(schemas.model, model) }),
    ...(prices_digest === undefined ? undefined : { prices_digest }),
    ...(usage === undefined ? undefined : { usage: copyBy(schemas.usage, usage) }),
  };
}

function attemptOf(attempt: Facts['attempts'][number]): RunFacts['attempts'][number] {
  return {
    adapter: attempt.adapter,
    config_digest: attempt.config_digest,
    generation: attempt.generation,
    latency_ms: wholeMilliseconds(attempt.latency_ms),
    ...(attempt.lookup === undefined ? undefined : { lookup: attempt.lookup }),
    outcome: attempt.outcome,
    ...(attempt.phase === undefined ? undefined : { phase: attempt.phase }),
    provider: attempt.provider,
    ...(attempt.reason === undefined ? undefined : { reason: attempt.reason }),
  };
}

function wholeMilliseconds(duration: number): number {
  return Math.max(0, Math.round(duration));
}

/** Turns a decision into `facts.policy`, its members in canonical order. */
export function policyOf(decision: Decision, commit: Commit): RunFacts['policy'] {
  const accepted = decision.accepted_decision_id;
  return {
    ...(accepted === undefined ? {} : { accepted_decision_id: accepted }),
    decision: decision.allow ? 'allow' : 'deny',
    ...(decision.decision_id === undefined ? {} : { decision_id: decision.decision_id }),
    policies: [...decision.policies],
    ...(decision.allow ? {} : { reasons: reasonsOf(decision, commit) }),
    ...(decision.revision === undefined ? {} : { revision: decision.revision }),
    shadow_denies: decision.shadow_denies,
    warns: decision.warns,
  };
}

const mostReasons = 16;
const longestMessage = 500;

// Messages may contain request data, so only a commitment to them is signed.
function reasonsOf({ reasons = [] }: Decision, commit: Commit): NonNullable<RunFacts['policy']['reasons']> {
  return reasons.slice(0, mostReasons).map(({ code, message, policy }) => ({
    code,
    ...(message === undefined ? {} : { message_commitment: commit(canonical(cut(message))).digest }),
    ...(policy === undefined ? {} : { policy }),
  }));
}

// Cut by code point: half a surrogate pair has no canonical form.
function cut(message: string): string {
  return message.length <= longestMessage ? message : Array.from(message).slice(0, longestMessage).join('');
}
