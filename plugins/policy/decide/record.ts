import { createHash } from 'node:crypto';
import {
  operation,
  perFrozen,
  type AccessRequest,
  type Decision,
  type Operation,
  type Store,
} from '../../../kernel/index.ts';
import policyStore from '../store.ts';
import type { Decided, Decider } from './decider.ts';

// As JSON.stringify writes it; a frozen value is written once.
const textOf = perFrozen((part: object) => JSON.stringify(part));

// Makes the row of a decision: the envelope without `inputs` and `parsed`, because the receipt commits to the inputs. What differs
// from one decision to the next is in the row; the rest is a text that many decisions share.
function recordOf(
  request: AccessRequest,
  decided: Decided,
  texts: RecordTexts,
): (committed: { readonly run_id?: string; readonly receipt_id?: string }) => Operation {
  return ({ run_id = null, receipt_id = null }: { run_id?: string | null; receipt_id?: string | null }) => {
    const { subject, action, resource, context } = request;
    const { verdict, cached, duration_us } = decided;
    const { allow, revision = null } = verdict;
    const { own, common } = splitContext(context);
    const at = String(context['time']);
    return operation(policyStore, 'decide', {
      decision_id: String(context['decision_id']),
      tenant: subject.tenant,
      at,
      action: action.name,
      allow,
      orb_id: resource.id,
      principal: subject.id,
      revision,
      run_id,
      receipt_id,
      record: JSON.stringify({ cached, duration_us, context: own }),
      ...texts.partOf({ request, decided, common: JSON.stringify(common) }, at),
    });
  };
}

interface Shared {
  readonly request: AccessRequest;
  readonly decided: Decided;
  /** Text of the context without the values of the single decision. */
  readonly common: string;
}

interface Beginning {
  readonly of: Pick<AccessRequest, 'action'> & Pick<Decided, 'verdict' | 'entrypoint'>;
  readonly text: string;
  /** The whole texts that begin so, by their ends. */
  readonly whole: Map<string, SharedText>;
}

const mostEnds = 20;
const mostBeginnings = 500;

// A shared text is long, and nearly the same for each run of an Orb by a caller: it is made once for the same objects,
// which do not change, and found by its end.
class RecordTexts {
  readonly #texts: SharedTexts;
  #beginnings = new WeakMap<object, WeakMap<object, Beginning>>();
  #made = 0;

  constructor(store: Pick<Store, 'write'>) {
    this.#texts = new SharedTexts(store);
  }

  partOf(shared: Shared, at: string): SharedPart {
    const { text, whole } = this.#beginningOf(shared);
    let found = whole.get(shared.common);
    if (found === undefined) {
      if (whole.size >= mostEnds) whole.clear();
      whole.set(shared.common, (found = this.#texts.find(`${text}${shared.common}}}`)));
    }
    return this.#texts.partOf(found, at);
  }

  #beginningOf({ request: { subject, action, resource }, decided: { entrypoint, verdict } }: Shared): Beginning {
    const known = this.#beginnings.get(subject)?.get(resource);
    if (known?.of.verdict === verdict && known.of.action === action && known.of.entrypoint === entrypoint) return known;
    const { policies, reasons, asks, warns, shadow_denies } = verdict;
    const about = { entrypoint, cached: null, duration_us: null, policies, reasons, asks, warns, shadow_denies };
    const question = `"subject":${textOf(subject)},"action":${textOf(action)},"resource":${textOf(resource)}`;
    const text = `${JSON.stringify(about).slice(0, -1)},"input":{${question},"context":`;
    const made: Beginning = { of: { action, entrypoint, verdict }, text, whole: new Map() };
    if ([subject, action, resource].every((part) => Object.isFrozen(part))) {
      if (++this.#made % mostBeginnings === 0) this.#beginnings = new WeakMap();
      const ofSubject = this.#beginnings.get(subject) ?? new WeakMap<object, Beginning>();
      this.#beginnings.set(subject, ofSubject.set(resource, made));
    }
    return made;
  }
}

// In the common part they are null, so that they keep their places. The id and the time are columns of the row.
function splitContext(context: AccessRequest['context']): Record<'own' | 'common', Readonly<Record<string, unknown>>> {
  const own: Record<string, unknown> = {};
  const common: Record<string, unknown> = { ...context, inputs: undefined };
  // A replay must know that the question had them, as it knows of the inputs.
  if ('parsed' in context) common['parsed'] = null;
  for (const name of ['time', 'decision_id']) if (name in context) common[name] = null;
  for (const name of ['time_ns', 'client_ip', 'inputs_bytes', 'llm', 'spend'])
    if (name in context) {
      own[name] = context[name];
      common[name] = null;
    }
  return { own, common };
}

/** Makes the tap of the hook `authorize`: returns the verdict, its id, and the row to commit with the decided run. */
export function answering(decider: Decider, store: Store): (request: AccessRequest) => Decision | Promise<Decision> {
  const texts = new RecordTexts(store);
  const answer = (request: AccessRequest, decided: Decided): Decision | Promise<Decision> => {
    const decision_id = String(request.context['decision_id']);
    const record = recordOf(request, decided, texts);
    const decision: Decision = { ...decided.verdict, decision_id, record };
    // A denied run has a receipt to commit with; a denied swap or publish has none, so its row is written here.
    if (decision.allow || request.action.name === 'execute') return decision;
    return store.write([record({})]).then(() => decision);
  };
  return (request) => {
    const decided = decider.decide(request);
    return decided instanceof Promise ? decided.then((known) => answer(request, known)) : answer(request, decided);
  };
}

// The part of a decision that many decisions have: its digest, and its text while the store may not have it.
interface SharedPart {
  readonly shared: string;
  readonly shared_text: string | null;
}

// A text that decisions share, as it is known here.
interface SharedText {
  readonly text: string;
  readonly digest: string;
  /** The last day on which the store was told that the text is used, `YYYY-MM-DD`. */
  day: string | undefined;
  telling: boolean;
}

const mostKnown = 2000;

/**
 * Tracks which texts that decisions share are in the store, so that a decision is written with only the digest. A used
 * text is written again once a day; an unused one can be deleted with its last decision.
 */
export class SharedTexts {
  readonly #store: Pick<Store, 'write'>;
  readonly #known = new Map<string, SharedText>();

  constructor(store: Pick<Store, 'write'>) {
    this.#store = store;
  }

  /** Finds the entry of a text. A caller that keeps it avoids another search by a long text. */
  find(text: string): SharedText {
    return this.#known.get(text) ?? this.#learn(text);
  }

  /** Answers the part of a text for a decision of a time (RFC 3339 UTC). */
  partOf(known: SharedText, at: string): SharedPart {
    const day = at.slice(0, 10);
    if (known.day === day) return { shared: known.digest, shared_text: null };
    if (!known.telling) this.#tell(known, day);
    // Until the store has answered, each decision brings the text along.
    return { shared: known.digest, shared_text: known.text };
  }

  #learn(text: string): SharedText {
    if (this.#known.size >= mostKnown) this.#known.clear();
    // 144 bits: two texts with one digest are not found in the lifetime of an installation.
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    const known = { text, digest, day: undefined, telling: false };
    this.#known.set(text, known);
    return known;
  }

  #tell(known: SharedText, used_on: string): void {
    const { digest, text } = known;
    known.telling = true;
    const told = this.#store.write([operation(policyStore, 'keepText', { digest, text, used_on })]);
    // A failure leaves the text with each decision, and the next one tells it again.
    void told
      .then(
        () => (known.day = used_on),
        () => undefined,
      )
      .then(() => (known.telling = false));
  }
}
