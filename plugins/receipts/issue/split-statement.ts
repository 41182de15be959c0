import { canonical, perFrozen } from '../../../kernel/index.ts';
import { predicateType, statementType } from '../contract.ts';
import type { RunFacts } from '../format/run-statement.ts';
import type { RunDraft } from '../format/statement.ts';
import { subjects } from '../format/subject.ts';

/**
 * The canonical text of a statement without the two members the writer adds; each part is a JSON object of its own:
 * fast to complete, never sorted again, and assembled where it is signed.
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

// Every run needs this text, and most of it is the same in all runs of an Orb: frozen parts are serialised once, and
// the rest is inserted member by member in canonical order, at a quarter of the cost of JSON.stringify. Values that
// this program makes itself (ids, times, digests, words of its own lists) need no escaping; text from configuration,
// policies, adapters and plugins is quoted. A test compares all members of the schema with the canonical form.

/** Serialises a draft in canonical form, split at `previous_digest` and `sequence`. */
export function splitStatement(draft: RunDraft): SplitStatement {
  const { reason } = draft;
  return {
    head: `{"execution_ms":${draft.execution_ms},"facts":${factsText(draft.facts)},"finished_at":"${draft.finished_at}","issuer":${textOf(draft.issuer)},"log":${textOf(draft.log)},"mode":"${draft.mode}","non_claims":${textOf(draft.non_claims)},"orb_id":${quoted(draft.orb_id)},"orbiset_id":${quoted(draft.orbiset_id)}}`,
    middle: `{${reason === undefined ? '' : `"reason":${quoted(reason)},`}"receipt_id":"${draft.receipt_id}","run_id":"${draft.run_id}","score":${scoreText(draft.score)},"score_fact":${scoreFactText(draft.score_fact)}}`,
    tail: `{"started_at":"${draft.started_at}","status":"${draft.status}","tenant":${quoted(draft.tenant)}}`,
    predicateType: predicateType('run'),
    subjects: list(subjects(draft), ({ digest, name }) => {
      return `{"digest":{"sha256":"${digest.sha256}"},"name":"${name}"}`;
    }),
  };
}

/** Completes a split statement with its position in the chain; `previousDigest` is absent iff `sequence` is 1. */
export function completeStatement(split: SplitStatement, sequence: number, previousDigest: string | undefined): string {
  const { head, middle, tail, predicateType: type, subjects: subject } = split;
  const previous = previousDigest === undefined ? '' : `,"previous_digest":"${previousDigest}"`;
  const predicate = `${head.slice(0, -1)}${previous},${middle.slice(1, -1)},"sequence":${sequence},${tail.slice(1)}`;
  return `{"_type":"${statementType}","predicate":${predicate},"predicateType":"${type}","subject":${subject}}`;
}

const textOf = perFrozen((part: object) => canonical(part));

function factsText(facts: RunFacts): string {
  const { latency, outputs, provider, upstream } = facts;
  return `{"action":${textOf(facts.action)},"attempts":${list(facts.attempts, attemptText)},"data":${textOf(facts.data)},"inputs":${commitmentText(facts.inputs)},"key":${textOf(facts.key)}${latency === undefined ? '' : `,"latency":${textOf(latency)}`},"orb":${textOf(facts.orb)},"outcome":"${facts.outcome}"${outputs === undefined ? '' : `,"outputs":${commitmentText(outputs)}`},"policy":${policyText(facts.policy)},"principal":${quoted(facts.principal)}${provider === undefined ? '' : `,"provider":${textOf(provider)}`},"schema":${textOf(facts.schema)}${upstream === undefined ? '' : `,"upstream":${canonical(upstream)}`}}`;
}

function attemptText(attempt: RunFacts['attempts'][number]): string {
  const { lookup, phase } = attempt;
  return `{"adapter":${quoted(attempt.adapter)},"config_digest":"${attempt.config_digest}","generation":${attempt.generation},"latency_ms":${attempt.latency_ms}${optional('lookup', lookup)},"outcome":"${attempt.outcome}"${optional('phase', phase)},"provider":${quoted(attempt.provider)}}`;
}

function commitmentText({ commitment, size }: RunFacts['inputs']): string {
  return `{"commitment":"${commitment}","size":${size}}`;
}

function policyText(policy: RunFacts['policy']): string {
  const { decision_id, input_commitment, reasons, revision } = policy;
  return `{"decision":"${policy.decision}"${optional('decision_id', decision_id)}${optional('input_commitment', input_commitment)},"policies":${list(policy.policies, quoted)}${reasons === undefined ? '' : `,"reasons":${canonical(reasons)}`}${optional('revision', revision)},"shadow_denies":${policy.shadow_denies},"warns":${policy.warns}}`;
}

function scoreText(score: RunDraft['score']): string {
  const deductions = list(score.deductions, ({ code, evidence, points }) => {
    return `{"code":"${code}","evidence":"${evidence}","points":${points}}`;
  });
  const gates = score.gates.length === 0 ? '[]' : canonical(score.gates);
  return `{"band":"${score.band}","deductions":${deductions},"gates":${gates},"inherent_risk":"${score.inherent_risk}","model":"${score.model}","risk_level":"${score.risk_level}","trust_score":${score.trust_score}}`;
}

function scoreFactText({ caller_ref, is_self, latency_ok, outcome_class }: RunDraft['score_fact']): string {
  return `{${caller_ref === undefined ? '' : `"caller_ref":${quoted(caller_ref)},`}"is_self":${is_self}${latency_ok === undefined ? '' : `,"latency_ok":${latency_ok}`},"outcome_class":"${outcome_class}"}`;
}

function optional(name: string, word: string | undefined): string {
  return word === undefined ? '' : `,"${name}":${quoted(word)}`;
}

function list<Item>(items: readonly Item[], write: (item: Item) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? write(item) : `,${write(item)}`;
  return `[${text}]`;
}

// Printable ASCII without quote and backslash needs no escaping, and most texts are such.
function quoted(word: string): string {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0x7e) return canonical(word);
  }
  return `"${word}"`;
}
