import { finishOf } from '../mapping/finish.ts';
import { mergedCounts, usageOf } from '../mapping/usage.ts';
import { member, textMember } from '../../vendor/http/json.ts';
import type { ChatAssembler, ChatEnd, ChatPart } from '../shape/parts.ts';
import { ReportedError, UnreadableAnswer, type AnswerReader } from '../wire/chat.ts';
import type { ServerEvent } from '../wire/events.ts';
import { sealed, sealer, type Block } from './blocks.ts';

/** Reads an answer of the Messages API. */
export class MessageReader implements AnswerReader {
  ended = false;
  readonly #sent: string;
  #model: string | undefined;
  #id: string | undefined;
  #tier: string | undefined;
  #stop: string | undefined;
  #counts: unknown;
  readonly #thoughts: Block[] = [];
  #calls = 0;
  /** The block that is open: its events follow each other. */
  #block:
    | { readonly type: unknown; readonly call: number; thought: Record<string, unknown>; empty: boolean }
    | undefined;

  /** `sent`: the model that was asked for. */
  constructor(sent: string) {
    this.#sent = sent;
  }

  read({ data }: ServerEvent): readonly ChatPart[] {
    return this.#event(parsed(data));
  }

  /** Reads a message as the events that would have brought it. */
  whole(body: unknown): readonly ChatPart[] {
    const content = member(body, 'content');
    if (!Array.isArray(content)) throw new UnreadableAnswer('it has no content');
    const delta = { stop_reason: member(body, 'stop_reason') };
    const events = [
      { type: 'message_start', message: body },
      ...content.flatMap((content_block: unknown) => blockEvents(content_block)),
      { type: 'message_delta', delta },
      { type: 'message_stop' },
    ];
    return events.flatMap((event) => this.#event(event));
  }

  rest(): readonly ChatPart[] {
    if (this.#stop === undefined) return [];
    const opaque = { adapter: sealer, data: sealed(this.#thoughts) };
    return [
      ...(this.#thoughts.length === 0 ? [] : [{ type: 'reasoning', opaque } as const]),
      { type: 'usage', ...usageOf('anthropic', this.#counts, 'vendor') },
    ];
  }

  end(answer: ChatAssembler): ChatEnd | undefined {
    if (!this.ended || this.#stop === undefined) return undefined;
    const finish_reason = finishOf('anthropic', this.#stop, answer);
    if (finish_reason === 'fault') throw new ReportedError([]);
    return {
      model: this.#model ?? this.#sent,
      sent_model: this.#sent,
      ...(this.#id !== undefined && { provider_response_id: this.#id }),
      ...(this.#tier !== undefined && { service_tier: this.#tier }),
      finish_reason,
    };
  }

  #event(event: unknown): readonly ChatPart[] {
    switch (member(event, 'type')) {
      case 'message_start':
        return this.#start(member(event, 'message'));
      case 'content_block_start':
        return this.#open(member(event, 'content_block'));
      case 'content_block_delta':
        return this.#delta(member(event, 'delta'));
      case 'content_block_stop':
        return this.#close();
      case 'message_delta':
        this.#stop = textMember(member(event, 'delta'), 'stop_reason') ?? this.#stop;
        return this.#count(member(event, 'usage'));
      case 'message_stop':
        this.ended = true;
        return [];
      case 'error':
        throw new ReportedError(codesOf(event));
      default:
        // Pings, and events that are newer than this adapter.
        return [];
    }
  }

  #start(message: unknown): readonly ChatPart[] {
    const text = (name: string): string | undefined => textMember(message, name)?.slice(0, 512);
    this.#model = text('model');
    this.#id = text('id');
    this.#tier = textMember(member(message, 'usage'), 'service_tier')?.slice(0, 64);
    return this.#count(member(message, 'usage'));
  }

  #count(told: unknown): readonly ChatPart[] {
    if (told === undefined || told === null) return [];
    this.#counts = mergedCounts(this.#counts, told);
    return [{ type: 'usage', ...usageOf('anthropic', this.#counts, 'partial') }];
  }

  #open(block: unknown): readonly ChatPart[] {
    const type = member(block, 'type');
    const call = type === 'tool_use' ? this.#calls++ : -1;
    this.#block = { type, call, thought: { ...(block as object) }, empty: true };
    if (type === 'text') return texts('text', member(block, 'text'));
    if (type === 'thinking') return texts('reasoning', member(block, 'thinking'));
    if (type !== 'tool_use') return [];
    const [id, name] = [textMember(block, 'id') ?? '', textMember(block, 'name') ?? ''];
    if (id === '' || name === '') throw new UnreadableAnswer('a call of a tool has no id or no name');
    return [{ type: 'tool_call', index: call, id, name }];
  }

  #delta(delta: unknown): readonly ChatPart[] {
    const block = this.#block;
    if (block === undefined) throw new UnreadableAnswer('a piece is in no block');
    switch (member(delta, 'type')) {
      case 'text_delta':
        return texts('text', member(delta, 'text'));
      case 'thinking_delta':
        add(block.thought, 'thinking', member(delta, 'thinking'));
        return texts('reasoning', member(delta, 'thinking'));
      case 'signature_delta':
        add(block.thought, 'signature', member(delta, 'signature'));
        return [];
      case 'input_json_delta': {
        const arguments_text = textMember(delta, 'partial_json') ?? '';
        if (arguments_text === '' || block.call < 0) return [];
        block.empty = false;
        return [{ type: 'tool_call', index: block.call, arguments_text }];
      }
      default:
        return [];
    }
  }

  #close(): readonly ChatPart[] {
    const block = this.#block;
    this.#block = undefined;
    if (block?.type === 'thinking' || block?.type === 'redacted_thinking') this.#thoughts.push(block.thought as never);
    if (block === undefined || block.call < 0 || !block.empty) return [];
    return [{ type: 'tool_call', index: block.call, arguments_text: '{}' }];
  }
}

/** Reads the words for an error, of a body or of an event of a stream. */
export function codesOf(body: unknown): readonly unknown[] {
  const error = member(body, 'error');
  // It has no word for too long a prompt.
  const long = textMember(error, 'message')?.startsWith('prompt is too long') === true;
  return [
    member(member(error, 'details'), 'error_code'),
    long ? 'context_length_exceeded' : undefined,
    member(error, 'type'),
  ];
}

function blockEvents(block: unknown): readonly object[] {
  const start = { type: 'content_block_start', content_block: block };
  const stop = { type: 'content_block_stop' };
  if (member(block, 'type') !== 'tool_use') return [start, stop];
  const input = member(block, 'input') ?? {};
  const empty = typeof input === 'object' && Object.keys(input).length === 0;
  const partial_json = empty ? '' : JSON.stringify(input);
  return [start, { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json } }, stop];
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    throw new UnreadableAnswer('an event is no JSON');
  }
}

function texts(type: 'text' | 'reasoning', text: unknown): readonly ChatPart[] {
  return typeof text === 'string' && text !== '' ? [{ type, text }] : [];
}

function add(block: Record<string, unknown>, name: string, more: unknown): void {
  if (typeof more === 'string') block[name] = `${textMember(block, name) ?? ''}${more}`;
}
