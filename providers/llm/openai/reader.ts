import { finishOf } from '../mapping/finish.ts';
import { mergedCounts, usageOf } from '../mapping/usage.ts';
import { member, textMember } from '../../vendor/http/json.ts';
import type { ChatAssembler, ChatEnd, ChatPart } from '../shape/parts.ts';
import { ReportedError, UnreadableAnswer, type AnswerReader } from '../wire/chat.ts';
import type { ServerEvent } from '../wire/events.ts';

/** Reads an answer of chat completions, of OpenAI and of those that say that they are like it. */
export class CompletionReader implements AnswerReader {
  ended = false;
  readonly #sent: string;
  #model: string | undefined;
  #id: string | undefined;
  #tier: string | undefined;
  #finish: string | undefined;
  #counts: unknown;
  readonly #calls: { readonly at: unknown; readonly id: unknown }[] = [];

  /** `sent`: the model that was asked for. */
  constructor(sent: string) {
    this.#sent = sent;
  }

  read({ data, event }: ServerEvent): readonly ChatPart[] {
    if (data.startsWith('[DONE]')) {
      this.ended = true;
      return [];
    }
    const chunk = parsed(data);
    if (event === 'error') throw new ReportedError(codesOf({ error: member(chunk, 'error') ?? chunk }));
    return this.#chunk(chunk, 'delta');
  }

  whole(body: unknown): readonly ChatPart[] {
    if (typeof body !== 'object' || body === null) throw new UnreadableAnswer('it is no JSON object');
    this.ended = true;
    return this.#chunk(body, 'message');
  }

  rest(): readonly ChatPart[] {
    if (this.#finish === undefined || this.#counts === undefined) return [];
    return [{ type: 'usage', ...usageOf('openai', this.#counts, 'vendor') }];
  }

  end(answer: ChatAssembler): ChatEnd | undefined {
    if (this.#finish === undefined) return undefined;
    const finish_reason = finishOf('openai', this.#finish, answer);
    if (finish_reason === 'fault') throw new ReportedError([]);
    return {
      model: this.#model ?? this.#sent,
      sent_model: this.#sent,
      ...(this.#id !== undefined && { provider_response_id: this.#id }),
      ...(this.#tier !== undefined && { service_tier: this.#tier }),
      finish_reason,
    };
  }

  #chunk(chunk: unknown, name: 'delta' | 'message'): ChatPart[] {
    const error = member(chunk, 'error');
    if (error !== undefined && error !== null) throw new ReportedError(codesOf(chunk));
    this.#model = word(chunk, 'model', 512) ?? this.#model;
    this.#id ??= word(chunk, 'id', 512);
    this.#tier = word(chunk, 'service_tier', 64) ?? this.#tier;
    const counts = member(chunk, 'usage') ?? member(member(chunk, 'x_groq'), 'usage');
    this.#counts = mergedCounts(this.#counts, counts);
    const running = counts === undefined || counts === null || name === 'message';
    return [
      ...this.#choice(choiceOf(chunk), name),
      ...(running ? [] : [{ type: 'usage', ...usageOf('openai', this.#counts, 'partial') } as const]),
    ];
  }

  #choice(choice: unknown, name: 'delta' | 'message'): ChatPart[] {
    this.#finish = textMember(choice, 'finish_reason') ?? this.#finish;
    const said = member(choice, name);
    const calls = member(said, 'tool_calls');
    const refusal = textMember(said, 'refusal') ?? '';
    return [
      ...thoughts(textMember(said, 'reasoning_content') ?? textMember(said, 'reasoning')),
      ...contentParts(member(said, 'content')),
      ...(refusal === '' ? [] : [{ type: 'refusal', text: refusal } as const]),
      ...(Array.isArray(calls) ? calls.map((call: unknown, at) => this.#call(call, name === 'message' ? at : -1)) : []),
    ];
  }

  // Indexes of ours: some vendors leave theirs out, or begin anywhere.
  #call(call: unknown, position: number): ChatPart {
    const [at, id] = [position < 0 ? member(call, 'index') : position, member(call, 'id')];
    const same = this.#calls.findIndex((known) => (at === undefined ? known.id === id : known.at === at));
    const known = same < 0 && at === undefined && id === undefined ? this.#calls.length - 1 : same;
    const index = known < 0 ? this.#calls.push({ at, id }) - 1 : known;
    const fn = member(call, 'function');
    const args = member(fn, 'arguments');
    const text = typeof args === 'object' && args !== null ? JSON.stringify(args) : args;
    const first = known < 0 && {
      id: typeof id === 'string' && id !== '' ? id : `call_${index}`,
      name: textMember(fn, 'name') ?? '',
    };
    if (first !== false && first.name === '') throw new UnreadableAnswer('a call of a tool has no name');
    return { type: 'tool_call', index, ...first, ...(typeof text === 'string' && { arguments_text: text }) };
  }
}

/** Reads the words for an error, of a body or of an event of a stream. */
export function codesOf(body: unknown): readonly unknown[] {
  const error = member(body, 'error');
  // OpenRouter and llama.cpp have the status as `code`.
  return [member(error, 'code'), member(error, 'type'), member(member(error, 'metadata'), 'error_type')];
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    throw new UnreadableAnswer('an event is no JSON');
  }
}

function choiceOf(chunk: unknown): unknown {
  const choices = member(chunk, 'choices');
  if (!Array.isArray(choices)) return undefined;
  return choices.find((choice) => (member(choice, 'index') ?? 0) === 0) as unknown;
}

// Mistral's content may be a list of texts and thoughts.
function contentParts(content: unknown): ChatPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    const thinking = member(part, 'thinking');
    if (Array.isArray(thinking)) return thinking.flatMap((thought) => thoughts(textMember(thought, 'text')));
    const text = textMember(part, 'text');
    return text === undefined ? [] : [{ type: 'text', text } as const];
  });
}

function thoughts(text: string | undefined): ChatPart[] {
  return text === undefined || text === '' ? [] : [{ type: 'reasoning', text }];
}

function word(value: unknown, name: string, maxLength: number): string | undefined {
  const text = textMember(value, name);
  return text === undefined || text === '' ? undefined : text.slice(0, maxLength);
}
