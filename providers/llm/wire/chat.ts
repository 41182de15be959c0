import { ProviderError, type ExecuteContext } from '../../../kernel/adapter.ts';
import { refusalOf, type RefusalWords } from '../mapping/refusal.ts';
import { readJson, type Answer, type Call, type Client, type OpenAnswer } from '../../vendor/http/client.ts';
import { BrokenParts, ChatAssembler, type ChatEnd, type ChatPart } from '../shape/parts.ts';
import type { ChatOutputs } from '../shape/outputs.ts';
import { BrokenStream, type EventFeed, type ServerEvent } from './events.ts';
import { CallTimers, type AnswerLimits } from './timers.ts';

/** Thrown for an answer that is not as its vendor documents; its text is shown. */
export class UnreadableAnswer extends Error {}

/** Thrown for an error that a vendor reports in an answer that began with success. */
export class ReportedError extends Error {
  readonly codes: readonly unknown[];

  constructor(codes: readonly unknown[]) {
    super('the vendor reported an error');
    this.codes = codes;
  }
}

/** Reads one answer of a vendor, event by event. Its methods throw UnreadableAnswer and ReportedError. */
export interface AnswerReader {
  /** The vendor's own mark of the end came: nothing more is read. */
  readonly ended: boolean;
  read(event: ServerEvent): readonly ChatPart[];
  /** Reads the body of an answer that was not streamed. */
  whole(body: unknown): readonly ChatPart[];
  /** What is left when no more events come. */
  rest(): readonly ChatPart[];
  /** Undefined: the answer is not whole. */
  end(answer: ChatAssembler): ChatEnd | undefined;
}

/** What an adapter knows of its vendor. */
export interface Protocol extends RefusalWords {
  readonly client: Client;
  /** Begins to read the events of an answer. */
  readonly events: () => EventFeed;
  /** Reads the vendor's own words for an error from the body of its answer. */
  codesOf(body: unknown): readonly unknown[];
}

const mostOfAnswer = 64 * 2 ** 20;
const mostOfRefusal = 65_536;

/** One answer, while it comes. */
class Reply {
  readonly parts = new ChatAssembler();
  begun = false;
  readonly #emit: ExecuteContext['emit'];
  readonly #timers: CallTimers;

  constructor(emit: ExecuteContext['emit'], timers: CallTimers) {
    this.#emit = emit;
    this.#timers = timers;
  }

  async take(parts: readonly ChatPart[]): Promise<void> {
    for (const part of parts) {
      this.parts.add(part);
      if (!this.begun) this.#timers.begun();
      this.begun = true;
      if (this.#emit === undefined) continue;
      await this.#emit({ ...part });
      // The time for which the caller let us wait is not the vendor's.
      this.#timers.alive();
    }
  }
}

/** Makes one call of a model. Resolves to outputs made of the emitted parts, or throws one ProviderError. */
export async function ask(
  protocol: Protocol,
  call: Call,
  {
    reader,
    limits,
    context: { emit, signal },
  }: {
    readonly reader: AnswerReader;
    readonly limits: AnswerLimits;
    readonly context: Pick<ExecuteContext, 'emit' | 'signal'>;
  },
): Promise<ChatOutputs> {
  const timers = new CallTimers(signal, limits);
  const reply = new Reply(emit, timers);
  if (emit === undefined) timers.unstreamed();
  try {
    const answer = await protocol.client.open(call, timers.signal);
    await readAnswer(protocol, answer, { reader, reply, timers });
    await reply.take(reader.rest());
    const end = reader.end(reply.parts);
    if (end === undefined) throw new UnreadableAnswer('the answer ended before it was whole');
    return reply.parts.outputs(end);
  } catch (error) {
    throw failureOf(protocol, error, { reply, timers, signal });
  } finally {
    timers.end();
  }
}

interface Reading {
  readonly reader: AnswerReader;
  readonly reply: Reply;
  readonly timers: CallTimers;
}

async function readAnswer(protocol: Protocol, answer: OpenAnswer, { reader, reply, timers }: Reading): Promise<void> {
  if (answer.status < 200 || answer.status > 299) {
    timers.begun();
    throw refusedAnswer(protocol, { ...answer, body: await readJson(answer.body, mostOfRefusal) });
  }
  // Some servers answer whole, whatever they were asked for.
  if (!/^text\/event-stream\b/iu.test(answer.headers['content-type'] ?? '')) {
    timers.begun();
    return reply.take(reader.whole(await readJson(answer.body, mostOfAnswer)));
  }
  const events = protocol.events();
  try {
    for await (const piece of answer.body) {
      timers.alive();
      for (const event of events(piece)) {
        const parts = reader.read(event);
        if (parts.length > 0) await reply.take(parts);
        if (reader.ended) return;
      }
    }
  } catch (error) {
    // A connection may break after the last word of an answer.
    if (isOwn(error) || reader.end(reply.parts) === undefined) throw error;
  }
}

/** Maps an answer without success to one outcome. */
export function refusedAnswer(
  protocol: RefusalWords & Pick<Protocol, 'codesOf'>,
  { status, headers, body }: Answer,
): ProviderError {
  return refusalOf(protocol, { status, headers, codes: protocol.codesOf(body) });
}

function isOwn(error: unknown): boolean {
  return [BrokenParts, BrokenStream, ProviderError, ReportedError, UnreadableAnswer].some(
    (own) => error instanceof own,
  );
}

interface Moment {
  readonly reply: Reply;
  readonly timers: CallTimers;
  readonly signal: AbortSignal;
}

function failureOf(protocol: Protocol, error: unknown, { reply, timers, signal }: Moment): ProviderError {
  const failure = outcomeOf(protocol, error, { timers, signal });
  // No other provider may go on with an answer that began.
  if (!reply.begun || failure.outcome === 'unknown') return failure;
  return new ProviderError('unknown', failure.message, { phase: 'stream' });
}

function outcomeOf(protocol: Protocol, error: unknown, { timers, signal }: Omit<Moment, 'reply'>): ProviderError {
  const { title } = protocol;
  const { passed } = timers;
  if (passed !== undefined && !signal.aborted) {
    const outcome = error instanceof ProviderError && error.outcome === 'not_sent' ? 'not_sent' : 'unknown';
    const remedy = `raise \`${passed}\``;
    return new ProviderError(outcome, `${title} was silent for longer than \`${passed}\``, { phase: passed, remedy });
  }
  if (error instanceof ProviderError) return error;
  if (error instanceof ReportedError) return refusalOf(protocol, { status: 200, headers: {}, codes: error.codes });
  if (signal.aborted) return unknown(`the call ended before the answer of ${title} was whole`, 'deadline');
  if (isOwn(error)) return unknown(`${title} sent no readable answer: ${(error as Error).message}`, 'response');
  return unknown(`the connection to ${title} failed before its answer was whole`, 'stream');
}

function unknown(text: string, phase: string): ProviderError {
  return new ProviderError('unknown', text, { phase });
}
