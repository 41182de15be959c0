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

/** A part of the text of a shape. */
export type ShapePart = string | number | boolean;

/** A split statement whose shape is in parts, which are compared with those of an earlier one before a text is made. */
export interface StatementParts extends Pick<SplitStatement, 'values'> {
  readonly parts: readonly ShapePart[];
}

// Every run needs this text, and most of it is the same in all runs of an Orb: frozen parts are serialised once, and
// the rest is inserted member by member in canonical order, at a quarter of the cost of JSON.stringify. Values that
// this program makes itself (ids, times, digests, words of its own lists) need no escaping; text from configuration,
// policies, adapters and plugins is quoted. A test compares all members of the schema with the canonical form.

const runType = predicateType('run');

/**
 * Serialises a draft in canonical form: the parts of a single run are values, the parts that runs share are the shape.
 */
export function splitStatement(draft: RunDraft): StatementParts {
  const to = new Split();
  const { own, parts } = to;
  parts.push('{"_type":"', statementType, '","predicate":{"execution_ms":', own.add(draft.execution_ms), ',"facts":');
  addFacts(to, draft.facts);
  parts.push(',"finished_at":"', own.add(draft.finished_at), '","issuer":', textOf(draft.issuer));
  parts.push(',"log":', textOf(draft.log), ',"mode":"', draft.mode, '","non_claims":', textOf(draft.non_claims));
  to.word(',"orb_id":', draft.orb_id);
  to.word(',"orbiset_id":', draft.orbiset_id);
  parts.push(own.leave());
  if (draft.reason !== undefined) to.word(',"reason":', draft.reason);
  parts.push(',"receipt_id":"', own.add(draft.receipt_id), '","run_id":"', own.add(draft.run_id), '","score":');
  addScore(to, draft.score);
  addScoreFact(to, draft.score_fact);
  parts.push(',"sequence":', own.leave(), ',"started_at":"', own.add(draft.started_at), '","status":"', draft.status);
  to.word('","tenant":', draft.tenant);
  parts.push('},"predicateType":"', runType, '","subject":');
  to.list(subjects(draft), ({ digest, name }) => {
    parts.push('{"digest":{"sha256":"', own.add(digest.sha256), '"},"name":"', own.add(draft.run_id));
    parts.push(name.slice(draft.run_id.length), '"}');
  });
  parts.push('}');
  return { parts, values: own.sections };
}

/** Splits the canonical texts before, between and after the two members; they are values, since few are alike. */
export function splitTexts(before: string, between: string, after: string): SplitStatement {
  const own = new Values();
  const shape = own.add(before) + own.leave() + own.add(between) + own.leave() + own.add(after);
  return { shape, values: own.sections };
}

/** Completes the values of a split statement with its position in the chain; `previousDigest` is absent iff `sequence` is 1. */
export function completeValues(
  { values }: Pick<SplitStatement, 'values'>,
  sequence: number,
  previousDigest: string | undefined,
): string {
  const previous = previousDigest === undefined ? '' : `,"previous_digest":"${previousDigest}"`;
  return joinValues(values, [previous, `${sequence}`]);
}

const textOf = perFrozen((part: object) => canonical(part));
const digestName = 'sha256:';

// A statement while it is split.
class Split {
  readonly parts: ShapePart[] = [];
  readonly own = new Values();

  word(before: string, word: string): void {
    // In parts of its own, and not as a new text, which would have to be read to be compared.
    if (isPlain(word)) this.parts.push(before, '"', word, '"');
    else this.parts.push(before, canonical(word));
  }

  value(before: string, value: unknown): void {
    if (value !== undefined) this.parts.push(before, this.own.add(canonical(value)));
  }

  part(before: string, part: object | undefined): void {
    if (part !== undefined) this.parts.push(before, textOf(part));
  }

  commitment(before: string, of: RunFacts['outputs']): void {
    if (of === undefined) return;
    // Only the digest is a value, because it is repeated in the subjects.
    this.parts.push(before, '{"commitment":"', of.commitment.slice(0, digestName.length));
    this.parts.push(this.own.add(of.commitment.slice(digestName.length)), '","size":', this.own.add(of.size), '}');
  }

  list<Item>(items: readonly Item[], add: (item: Item) => void): void {
    let before = '[';
    for (const item of items) {
      this.parts.push(before);
      add(item);
      before = ',';
    }
    this.parts.push(items.length === 0 ? '[]' : ']');
  }
}

function addFacts(to: Split, facts: RunFacts): void {
  const { own, parts } = to;
  parts.push('{"action":', textOf(facts.action));
  to.value(',"approval":', facts.approval);
  parts.push(',"attempts":');
  to.list(facts.attempts, (attempt) => addAttempt(to, attempt));
  to.value(',"channel":', facts.channel);
  to.value(',"cost":', facts.cost);
  parts.push(',"data":', textOf(facts.data));
  to.commitment(',"inputs":', facts.inputs);
  parts.push(',"key":', textOf(facts.key));
  to.part(',"latency":', facts.latency);
  to.value(',"model":', facts.model);
  parts.push(',"orb":', textOf(facts.orb), ',"outcome":"', facts.outcome, '"');
  to.commitment(',"outputs":', facts.outputs);
  addPolicy(to, facts.policy);
  to.value(',"prices_digest":', facts.prices_digest);
  parts.push(',"principal":', own.add(quoted(facts.principal)));
  to.part(',"provider":', facts.provider);
  parts.push(',"schema":', textOf(facts.schema));
  to.value(',"upstream":', facts.upstream);
  to.value(',"usage":', facts.usage);
  parts.push('}');
}

function addAttempt(to: Split, attempt: RunFacts['attempts'][number]): void {
  const { lookup, phase, reason } = attempt;
  to.word('{"adapter":', attempt.adapter);
  to.parts.push(',"config_digest":"', attempt.config_digest, '","generation":', attempt.generation);
  to.parts.push(',"latency_ms":', to.own.add(attempt.latency_ms));
  if (lookup !== undefined) to.word(',"lookup":', lookup);
  to.parts.push(',"outcome":"', attempt.outcome, '"');
  if (phase !== undefined) to.word(',"phase":', phase);
  to.word(',"provider":', attempt.provider);
  if (reason !== undefined) to.word(',"reason":', reason);
  to.parts.push('}');
}

function addPolicy(to: Split, policy: RunFacts['policy']): void {
  const { own, parts } = to;
  const { accepted_decision_id: accepted, decision_id, input_commitment, reasons, revision } = policy;
  parts.push(',"policy":{');
  if (accepted !== undefined) parts.push('"accepted_decision_id":', own.add(quoted(accepted)), ',');
  parts.push('"decision":"', policy.decision, '"');
  if (decision_id !== undefined) parts.push(',"decision_id":', own.add(quoted(decision_id)));
  if (input_commitment !== undefined) parts.push(',"input_commitment":', own.add(quoted(input_commitment)));
  parts.push(',"policies":');
  to.list(policy.policies, (name) => to.word('', name));
  to.value(',"reasons":', reasons);
  if (revision !== undefined) to.word(',"revision":', revision);
  parts.push(',"shadow_denies":', policy.shadow_denies, ',"warns":', policy.warns, '}');
}

function addScore(to: Split, score: RunDraft['score']): void {
  const { parts } = to;
  parts.push('{"band":"', score.band, '","deductions":');
  to.list(score.deductions, ({ code, evidence, points }) =>
    parts.push('{"code":"', code, '","evidence":"', evidence, '","points":', points, '}'),
  );
  parts.push(',"gates":', score.gates.length === 0 ? '[]' : canonical(score.gates));
  parts.push(',"inherent_risk":"', score.inherent_risk, '","model":"', score.model);
  parts.push('","risk_level":"', score.risk_level, '","trust_score":', score.trust_score, '}');
}

function addScoreFact({ own, parts }: Split, fact: RunDraft['score_fact']): void {
  const { caller_ref, is_self, latency_ok, outcome_class } = fact;
  parts.push(',"score_fact":{');
  if (caller_ref !== undefined) parts.push('"caller_ref":', own.add(quoted(caller_ref)), ',');
  parts.push('"is_self":', is_self);
  if (latency_ok !== undefined) parts.push(',"latency_ok":', latency_ok);
  parts.push(',"outcome_class":"', outcome_class, '"}');
}

function quoted(word: string): string {
  return isPlain(word) ? `"${word}"` : canonical(word);
}

// Printable ASCII without quote and backslash needs no escaping, and most texts are such.
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0x7e) return false;
  }
  return true;
}

/** A shape as the writer is sent it: by its number, and with its text until the writer has it. */
export interface SentShape {
  readonly number: number;
  /** Length of the text. */
  readonly bytes: number;
  readonly text?: string;
}

/** The most shapes whose numbers are kept here; the writer keeps more, so it has each that it is sent. */
export const mostSent = 1000;
// Of one Orb in one Orbiset: a longer list takes longer to search than the text takes to send.
const mostOfOne = 16;

/** A shape that was sent. */
export class Sent {
  readonly #parts: readonly ShapePart[];
  readonly #first: SentShape;
  readonly #later: SentShape;
  #held = false;

  constructor(number: number, parts: readonly ShapePart[]) {
    const text = parts.join('');
    const bytes = Buffer.byteLength(text);
    this.#parts = parts;
    this.#first = { number, bytes, text };
    this.#later = { number, bytes };
  }

  /** What the writer is sent now. */
  get shape(): SentShape {
    return this.#held ? this.#later : this.#first;
  }

  /** Notes that the writer has the text: it has issued a statement of this shape. */
  held(): void {
    this.#held = true;
  }

  /** Says whether these are the parts of the same text; the parts of one text are always the same. */
  isOf(parts: readonly ShapePart[]): boolean {
    const own = this.#parts;
    if (own.length !== parts.length) return false;
    for (let at = 0; at < parts.length; at++) if (own[at] !== parts[at]) return false;
    return true;
  }
}

/**
 * The shapes that this thread has sent to the writer. The text of a shape has two thousand characters, which are the same
 * from run to run of an Orb: they are made and sent until the writer has them, and after that only their number.
 */
export class SentShapes {
  readonly #of = new Map<string, Map<string, Sent[]>>();
  #known = 0;
  #last = 0;

  /** Finds the shape of a run by its parts. */
  find(orbisetId: string, orbId: string, parts: readonly ShapePart[]): Sent {
    const shapes = this.#list(orbisetId, orbId);
    for (let at = 0; at < shapes.length; at++) {
      const sent = shapes[at] as Sent;
      if (!sent.isOf(parts)) continue;
      if (at > 0) shapes.unshift(...shapes.splice(at, 1));
      return sent;
    }
    return this.#add(orbisetId, orbId, parts);
  }

  #add(orbisetId: string, orbId: string, parts: readonly ShapePart[]): Sent {
    if (this.#known >= mostSent) {
      this.#of.clear();
      this.#known = 0;
    }
    this.#known += 1;
    this.#last += 1;
    const sent = new Sent(this.#last, parts);
    const shapes = this.#list(orbisetId, orbId);
    shapes.unshift(sent);
    if (shapes.length > mostOfOne) shapes.pop();
    return sent;
  }

  #list(orbisetId: string, orbId: string): Sent[] {
    const ofOrbiset = inPlace(this.#of, orbisetId, () => new Map<string, Sent[]>());
    return inPlace(ofOrbiset, orbId, () => []);
  }
}

function inPlace<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
