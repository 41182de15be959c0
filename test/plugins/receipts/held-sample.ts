import { readFileSync } from 'node:fs';
import { canonical, digest, given } from '../../../kernel/index.ts';
import { nonClaims, statementType, type RunStatement } from '../../../plugins/receipts/contract.ts';

import { deriveScoreFact, scoreRun } from '../../../plugins/receipts/format/score.ts';
import { subjectOfFacts, subjects } from '../../../plugins/receipts/format/subject.ts';
import { provedIn, signedEnvelope, vectorStatement } from './sample.ts';

/** The published vectors of a held run: its receipt and that of the decision on it. */
export const heldVectors = JSON.parse(readFileSync(new URL('./held-vectors.json', import.meta.url), 'utf8')) as {
  readonly decision: Vector;
  readonly run: Vector;
  readonly bound: object;
  readonly bound_canonical: string;
  readonly digest: string;
  /** A run that was held twice: what was bound at first, both decisions, and its receipt. */
  readonly twice: { readonly bound: object; readonly decisions: readonly Vector[]; readonly run: Vector };
};

interface Vector {
  readonly payload: string;
  readonly payload_sha256_hex: string;
  readonly artefact: object;
}

/** People of a sample. */
export const people = {
  requester: vectorStatement().predicate.facts.principal,
  ada: 'prn_01M8FAMKDW8EACJ6XYYH95MPC3',
  bob: 'prn_01M8FAMM1Q2G38RASKEJSD4XFB',
};

/** Id of the approval of a sample. */
export const approvalId = 'apr_01M7X8PQA00000000000000007';
/** Id of the receipt of a decision of a sample. */
export const decisionId = (at: number): string => `rec_01M7X8PQA0000000000000000${at + 1}`;

type Bound = Readonly<Record<string, unknown>> & { readonly asks: readonly object[] };
type Facts = Readonly<Record<string, unknown>>;

/** Makes the bound of the sample run. */
export function boundOfSample(more: object = {}): Bound {
  const { predicate } = vectorStatement();
  const { facts, mode, orb_id, orbiset_id, run_id } = predicate;
  return {
    ...{ run_id, orb_id, orbiset_id, principal: facts.principal, mode },
    ...{ manifest_digest: facts.orb.manifest_digest, inputs: facts.inputs, delivery: 'at_most_once' },
    providers: facts.attempts.map(({ provider: name, config_digest }) => ({ name, config_digest })),
    revision: facts.policy.revision,
    asks: [{ code: 'outside_address', approvers: 'office', of: 1, bind: 'inputs', policies: ['mail'] }],
    ...more,
  };
}

/** One decision of a sample. */
export interface SampleDecision {
  readonly bound?: Bound;
  /** Of the facts. */
  readonly facts?: Facts;
  /** Of the predicate. */
  readonly predicate?: Facts & { readonly approval_id?: string };
}

/** Makes the statement of a decision; `at`: which one it is, from 0. */
export function decisionStatement(
  at: number,
  { bound = boundOfSample(), facts, predicate }: SampleDecision = {},
): object {
  const all = {
    ...{ decision: 'approve', state: 'approved', digest: digest(canonical(bound)), bound, principal: people.ada },
    ...{ groups: ['office'], auth: 'key', surface: 'api' },
    ...facts,
  };
  const { issuer, log, tenant } = vectorStatement().predicate;
  return {
    _type: statementType,
    predicate: {
      ...{ approval_id: approvalId, at: '2026-11-20T19:59:59.000Z', facts: all, issuer, log, non_claims: nonClaims },
      ...{ receipt_id: decisionId(at), tenant },
      ...predicate,
    },
    predicateType: 'urn:agent-orb:approval:v1',
    subject: subjectOfFacts(predicate?.approval_id ?? approvalId, canonical(all)),
  };
}

/** A held run of a sample: what differs from one that ada approved and that went ahead. */
export interface SampleHeld {
  readonly decisions?: readonly SampleDecision[];
  /** Members of `facts.approval` of the run. */
  readonly approval?: Facts;
  /** Members of the predicate of the run. */
  readonly run?: Partial<RunStatement['predicate']>;
  /** Receipts in the order of the log: `run`, or the number of a decision. */
  readonly order?: readonly ('run' | number)[];
}

/** The receipts of a held run, as the API answers them. */
export interface HeldReceipts {
  readonly run: Readonly<Record<string, unknown>>;
  readonly decisions: readonly Readonly<Record<string, unknown>>[];
}

/** Makes the receipts of a held run, all in one log of the vectors' key. */
export function heldReceipts({ decisions = [{}], approval, run, order }: SampleHeld = {}): HeldReceipts {
  const base = vectorStatement();
  const first = decisions[0]?.bound ?? boundOfSample();
  const named = {
    ...{
      approval_id: approvalId,
      digest: digest(canonical(first)),
      decisions: decisions.map((_, at) => decisionId(at)),
    },
    ...approval,
  };
  const changed = { ...base.predicate, ...run };
  const facts = { ...changed.facts, approval: named };
  const all = { ...changed, facts };
  const { latency_ok: _, ...fact } = all.score_fact;
  const predicate = { ...all, score: scoreRun(all), score_fact: { ...fact, ...given(deriveScoreFact(all)) } };
  const statement = { ...base, predicate, subject: subjects(predicate) };
  const statements = [...decisions.map((one, at) => decisionStatement(at, one)), statement];
  const signed = statements.map((one) => signedEnvelope(canonical(one)));
  const places = (order ?? [...decisions.keys(), 'run' as const]).map((one) =>
    one === 'run' ? decisions.length : one,
  );
  const entries = places.map((at) => signed[at]?.entry ?? new Uint8Array());
  const receipts = signed.map(({ envelope }, at) => ({ envelope, proof: provedIn(entries, places.indexOf(at)) }));
  return { run: receipts.at(-1) ?? {}, decisions: receipts.slice(0, -1) };
}

/** Id of the first approval of a sample that was held twice. */
export const earlierId = 'apr_01M7X8PQA00000000000000006';

/** Makes the sample of a run that was held twice: bob approved it at first, and ada what was asked then. */
export function heldTwice(first: SampleDecision = {}, earlier: Facts = {}): SampleHeld {
  const asks = [{ code: 'large_sum', approvers: 'finance', of: 1, bind: 'inputs', policies: ['sums'] }];
  const { bound = boundOfSample({ asks }), facts, predicate } = first;
  const own = { principal: people.bob, groups: ['finance'], ...facts };
  const before = { bound, facts: own, predicate: { approval_id: earlierId, ...predicate } };
  const named = { approval_id: earlierId, digest: digest(canonical(bound)), decisions: [decisionId(0)], ...earlier };
  return {
    decisions: [before, {}],
    approval: { digest: digest(canonical(boundOfSample())), decisions: [decisionId(1)], earlier: [named] },
  };
}

/** Makes the text of the same, the decisions next to the run. */
export function heldText(sample: SampleHeld = {}): string {
  const { run, decisions } = heldReceipts(sample);
  return JSON.stringify({ ...run, decisions });
}

/** Computes the vectors again, to compare them with the published ones. */
export function computedVectors(): typeof heldVectors {
  const { run, decisions } = heldReceipts();
  const payload = (receipt: unknown): string =>
    Buffer.from((receipt as { envelope: { payload: string } }).envelope.payload, 'base64').toString();
  const vector = (receipt: object): Vector => ({
    payload: payload(receipt),
    payload_sha256_hex: digest(payload(receipt)).slice('sha256:'.length),
    artefact: receipt,
  });
  const bound = boundOfSample();
  const twice = heldReceipts(heldTwice());
  return {
    bound,
    bound_canonical: canonical(bound),
    digest: digest(canonical(bound)),
    decision: vector(decisions[0] ?? {}),
    run: vector(run),
    twice: {
      bound: heldTwice().decisions?.[0]?.bound ?? {},
      decisions: twice.decisions.map(vector),
      run: vector(twice.run),
    },
  };
}
