import { canonical, perFrozen } from '../../../kernel/index.ts';
import { predicateType, statementType } from '../contract.ts';
import type { RunFacts } from '../format/run-statement.ts';
import type { RunDraft } from './run-draft.ts';
import { joinValues, Values } from '../format/shape.ts';
import { subjects } from '../format/subject.ts';

/**
 * The canonical text of a statement without the two members that the writer adds: the shape that many statements share,
 * and its values, in three sections around the places of `previous_digest` and `sequence`.
 */
export interface SplitStatement {
  readonly shape: string;
  readonly values: readonly string[];
}

// Every run needs this text, and most of it is the same in all runs of an Orb: frozen parts are serialised once, and
// the rest is inserted member by member in canonical order, at a quarter of the cost of JSON.stringify. Values that
// this program makes itself (ids, times, digests, words of its own lists) need no escaping; text from configuration,
// policies, adapters and plugins is quoted. A test compares all members of the schema with the canonical form.

const runType = predicateType('run');

/**
 * Serialises a draft in canonical form: the parts of a single run are values, the parts that runs share are the shape.
 */
export function splitStatement(draft: RunDraft): SplitStatement {
  const own = new Values();
  const { reason } = draft;
  const shape =
    `{"_type":"${statementType}","predicate":{"execution_ms":${own.add(draft.execution_ms)},"facts":${factsText(draft.facts, own)},"finished_at":"${own.add(draft.finished_at)}","issuer":${textOf(draft.issuer)},"log":${textOf(draft.log)},"mode":"${draft.mode}","non_claims":${textOf(draft.non_claims)},"orb_id":${quoted(draft.orb_id)},"orbiset_id":${quoted(draft.orbiset_id)}` +
    `${own.leave()}${reason === undefined ? '' : `,"reason":${quoted(reason)}`},"receipt_id":"${own.add(draft.receipt_id)}","run_id":"${own.add(draft.run_id)}","score":${scoreText(draft.score)},"score_fact":${scoreFactText(draft.score_fact, own)},"sequence":` +
    `${own.leave()},"started_at":"${own.add(draft.started_at)}","status":"${draft.status}","tenant":${quoted(draft.tenant)}},"predicateType":"${runType}","subject":${list(
      subjects(draft),
      ({ digest, name }) => {
        return `{"digest":{"sha256":"${own.add(digest.sha256)}"},"name":"${own.add(draft.run_id)}${name.slice(draft.run_id.length)}"}`;
      },
    )}}`;
  return { shape, values: own.sections };
}

/** Splits the canonical texts before, between and after the two members; they are values, since few are alike. */
export function splitTexts(before: string, between: string, after: string): SplitStatement {
  const own = new Values();
  const shape = own.add(before) + own.leave() + own.add(between) + own.leave() + own.add(after);
  return { shape, values: own.sections };
}

/** Completes the values of a split statement with its position in the chain; `previousDigest` is absent iff `sequence` is 1. */
export function completeValues(split: SplitStatement, sequence: number, previousDigest: string | undefined): string {
  const previous = previousDigest === undefined ? '' : `,"previous_digest":"${previousDigest}"`;
  return joinValues(split.values, [previous, `${sequence}`]);
}

const textOf = perFrozen((part: object) => canonical(part));

function factsText(facts: RunFacts, own: Values): string {
  const { approval, channel, cost, latency, model, outputs, provider, upstream, usage } = facts;
  return `{"action":${textOf(facts.action)}${approval === undefined ? '' : `,"approval":${own.add(canonical(approval))}`},"attempts":${list(facts.attempts, (attempt) => attemptText(attempt, own))}${channel === undefined ? '' : `,"channel":${own.add(canonical(channel))}`}${cost === undefined ? '' : `,"cost":${own.add(canonical(cost))}`},"data":${textOf(facts.data)},"inputs":${commitmentText(facts.inputs, own)},"key":${textOf(facts.key)}${latency === undefined ? '' : `,"latency":${textOf(latency)}`}${model === undefined ? '' : `,"model":${own.add(canonical(model))}`},"orb":${textOf(facts.orb)},"outcome":"${facts.outcome}"${outputs === undefined ? '' : `,"outputs":${commitmentText(outputs, own)}`},"policy":${policyText(facts.policy, own)}${optional('prices_digest', facts.prices_digest, own)},"principal":${own.add(quoted(facts.principal))}${provider === undefined ? '' : `,"provider":${textOf(provider)}`},"schema":${textOf(facts.schema)}${upstream === undefined ? '' : `,"upstream":${own.add(canonical(upstream))}`}${usage === undefined ? '' : `,"usage":${own.add(canonical(usage))}`}}`;
}

function attemptText(attempt: RunFacts['attempts'][number], own: Values): string {
  const { lookup, phase, reason } = attempt;
  return `{"adapter":${quoted(attempt.adapter)},"config_digest":"${attempt.config_digest}","generation":${attempt.generation},"latency_ms":${own.add(attempt.latency_ms)}${optional('lookup', lookup)},"outcome":"${attempt.outcome}"${optional('phase', phase)},"provider":${quoted(attempt.provider)}${optional('reason', reason)}}`;
}

const digestName = 'sha256:';

function commitmentText({ commitment, size }: RunFacts['inputs'], own: Values): string {
  // Only the digest is a value, because it is repeated in the subjects.
  return `{"commitment":"${commitment.slice(0, digestName.length)}${own.add(commitment.slice(digestName.length))}","size":${own.add(size)}}`;
}

function policyText(policy: RunFacts['policy'], own: Values): string {
  const { accepted_decision_id, decision_id, input_commitment, reasons, revision } = policy;
  const accepted =
    accepted_decision_id === undefined ? '' : `"accepted_decision_id":${own.add(quoted(accepted_decision_id))},`;
  return `{${accepted}"decision":"${policy.decision}"${optional('decision_id', decision_id, own)}${optional('input_commitment', input_commitment, own)},"policies":${list(policy.policies, quoted)}${reasons === undefined ? '' : `,"reasons":${own.add(canonical(reasons))}`}${optional('revision', revision)},"shadow_denies":${policy.shadow_denies},"warns":${policy.warns}}`;
}

function scoreText(score: RunDraft['score']): string {
  const deductions = list(score.deductions, ({ code, evidence, points }) => {
    return `{"code":"${code}","evidence":"${evidence}","points":${points}}`;
  });
  const gates = score.gates.length === 0 ? '[]' : canonical(score.gates);
  return `{"band":"${score.band}","deductions":${deductions},"gates":${gates},"inherent_risk":"${score.inherent_risk}","model":"${score.model}","risk_level":"${score.risk_level}","trust_score":${score.trust_score}}`;
}

function scoreFactText(fact: RunDraft['score_fact'], own: Values): string {
  const { caller_ref, is_self, latency_ok, outcome_class } = fact;
  return `{${caller_ref === undefined ? '' : `"caller_ref":${own.add(quoted(caller_ref))},`}"is_self":${is_self}${latency_ok === undefined ? '' : `,"latency_ok":${latency_ok}`},"outcome_class":"${outcome_class}"}`;
}

// With `own`, the word is a value.
function optional(name: string, word: string | undefined, own?: Values): string {
  if (word === undefined) return '';
  return `,"${name}":${own === undefined ? quoted(word) : own.add(quoted(word))}`;
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
