import type { Orb } from '../catalog/orb.ts';
import type { Run } from '../dispatch/run-record.ts';
import type { Channel } from '../facts/facts.ts';
import type { MeteredRun } from '../facts/metering.ts';
import { executeQuestion, type QuestionOptions } from './access-request.ts';
import { meteredRun } from './metering.ts';
import type { AccessRequest, Awaitable } from '../../../kernel/index.ts';
import type { MaybePromise } from '../../../kernel/runner.ts';

/** A call as plugins describe it, before it is decided. Its candidates are all that a failover may reach. */
export interface DescribedCall extends MeteredRun {
  /** The caller takes the answer in parts. */
  readonly streams: boolean;
  /** How the caller reached the program; absent: by HTTP. */
  readonly channel?: Channel | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** What a plugin tells policies of the calls of some Orbs, in addition to what they see of every run. */
export interface CallDescription {
  /** Says whether calls of an Orb are described; always the same for one Orb. */
  concerns(orb: Orb): boolean;
  /** Texts of the inputs with more bytes are shown to policies as `{"$omitted_bytes": n}`. */
  readonly longestText?: number;
  /**
   * Makes members of the context of the question: plain JSON, which the schema of the question names. Each member is of
   * one plugin. The call is denied when it throws.
   */
  describe(call: DescribedCall): Awaitable<Members>;
}

const none: readonly CallDescription[] = Object.freeze([]);

/** The descriptions of calls that plugins have registered. */
export class Descriptions {
  readonly #all: CallDescription[] = [];
  readonly #byOrb = new WeakMap<Orb, readonly CallDescription[]>();

  /** Adds a description, before the first run. */
  add(description: CallDescription): void {
    this.#all.push(description);
  }

  /** Lists those of the calls of an Orb. */
  of(orb: Orb): readonly CallDescription[] {
    if (this.#all.length === 0) return none;
    const known = this.#byOrb.get(orb);
    if (known !== undefined) return known;
    const found = this.#all.filter((one) => one.concerns(orb));
    this.#byOrb.set(orb, found.length === 0 ? none : found);
    return found;
  }
}

/** Builds the question `execute` of a run, with what plugins say of its call. */
export function describedQuestion(
  run: Run,
  descriptions: Pick<Descriptions, 'of'>,
  options: QuestionOptions,
): MaybePromise<AccessRequest> {
  const question = executeQuestion(run, options);
  const own = descriptions.of(run.orb);
  return own.length === 0 ? question : withDescriptions(question, run, own);
}

function withDescriptions(
  question: AccessRequest,
  run: Run,
  own: readonly CallDescription[],
): MaybePromise<AccessRequest> {
  const call = { ...meteredRun(run), streams: run.stream !== undefined, channel: run.channel };
  const context: Record<string, unknown> = { ...question.context };
  const longest = Math.min(...own.map(({ longestText = Infinity }) => longestText));
  if (longest < run.inputs_bytes) context['inputs'] = withoutLongTexts(context['inputs'], longest);
  const told = own.map((one) => one.describe(call));
  const withAll = (all: readonly Members[]): AccessRequest => {
    const described = Object.assign({}, ...all) as Members;
    Object.assign(run, { described });
    return { ...question, context: { ...context, ...described } };
  };
  // Most answer at once.
  return told.some(isPending)
    ? Promise.all(told.map(async (one) => one)).then(withAll)
    : withAll(told as readonly Members[]);
}

const isPending = (told: Awaitable<Members>): boolean => told instanceof Promise;

/** Replaces each text with more than `most` bytes by its size; what has none is the same object. */
export function withoutLongTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') {
    // No character has more than three bytes per code unit.
    const bytes = value.length * 3 <= most ? 0 : Buffer.byteLength(value);
    return bytes > most ? { $omitted_bytes: bytes } : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withoutLongTexts(item, most));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const members = Object.entries(value).map(([name, one]) => [name, withoutLongTexts(one, most), one] as const);
  return members.every(([, shown, one]) => shown === one)
    ? value
    : Object.fromEntries(members.map(([name, shown]) => [name, shown]));
}
