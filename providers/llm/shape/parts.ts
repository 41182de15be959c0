import type { ChatOutputs, FinishReason, Usage } from './outputs.ts';

/** What only the adapter that made it can read. */
export interface Opaque {
  readonly adapter: string;
  readonly data: string;
}

/** A piece of a call of a tool: `id` and `name` come with the first piece of an index, arguments are joined. */
export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments_text?: string;
}

/** What an adapter emits. Texts are joined; of `opaque` and of each count the last one holds. */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text?: string; readonly opaque?: Opaque }
  | { readonly type: 'refusal'; readonly text: string }
  | ToolCallPart
  | ({ readonly type: 'usage' } & Usage);

/** What ends an answer and is in no part. */
export interface ChatEnd {
  readonly model: string;
  readonly sent_model?: string;
  readonly provider_response_id?: string;
  readonly service_tier?: string;
  readonly finish_reason: FinishReason;
}

/** Thrown for parts that make no answer, such as a call of a tool without a name. */
export class BrokenParts extends Error {}

const mostToolCalls = 1024;

/** Makes outputs of parts: the only way to outputs, so that a streamed answer is the same as a whole one. */
export class ChatAssembler {
  #content: string[] = [];
  #refusal: string[] | undefined;
  #thought: string[] | undefined;
  #opaque: Opaque | undefined;
  #usage: Usage = { source: 'absent' };
  readonly #calls = new Map<number, { id?: string | undefined; name?: string | undefined; texts: string[] }>();

  /** Whether a call of a tool began. */
  get calls(): boolean {
    return this.#calls.size > 0;
  }

  /** Whether the model refused. */
  get refused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Takes the next part. Throws BrokenParts. */
  add(part: ChatPart): void {
    if (part.type === 'text') this.#content.push(part.text);
    else if (part.type === 'refusal') (this.#refusal ??= []).push(part.text);
    else if (part.type === 'usage') this.#count(part);
    else if (part.type === 'tool_call') this.#call(part);
    else {
      if (part.text !== undefined) (this.#thought ??= []).push(part.text);
      this.#opaque = part.opaque ?? this.#opaque;
    }
  }

  /** Makes the outputs. Throws BrokenParts when a call of a tool lacks its id or name. */
  outputs(end: ChatEnd): ChatOutputs {
    const calls = [...this.#calls].sort(([one], [other]) => one - other);
    const thought = this.#thought?.join('');
    const reasoning = thought !== undefined || this.#opaque !== undefined;
    return {
      ...end,
      content: this.#content.join(''),
      ...(reasoning && { reasoning: { ...(thought !== undefined && { text: thought }), ...this.#sealed() } }),
      ...(this.#refusal !== undefined && { refusal: this.#refusal.join('') }),
      tool_calls: calls.map(([index, { id, name, texts }]) => {
        if (id === undefined || name === undefined) throw new BrokenParts(`tool call ${index} has no id or no name`);
        return { id, name, arguments_text: texts.join('') };
      }),
      usage: this.#usage,
    };
  }

  #sealed(): { opaque?: Opaque } {
    return this.#opaque === undefined ? {} : { opaque: this.#opaque };
  }

  #call({ index, id, name, arguments_text }: ToolCallPart): void {
    const known = this.#calls.get(index);
    if (known === undefined && this.#calls.size >= mostToolCalls) throw new BrokenParts('too many tool calls');
    const call = known ?? { texts: [] };
    call.id ??= id;
    call.name ??= name;
    if (arguments_text !== undefined) call.texts.push(arguments_text);
    this.#calls.set(index, call);
  }

  #count({ type: _, ...usage }: { readonly type: 'usage' } & Usage): void {
    this.#usage = { ...this.#usage, ...usage };
  }
}

/** Makes the parts that a whole answer would have been streamed in, one for each text. */
export function partsOf(outputs: ChatOutputs): readonly ChatPart[] {
  const { content, reasoning, refusal, tool_calls, usage } = outputs;
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', ...reasoning } as const]),
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...(refusal === undefined ? [] : [{ type: 'refusal', text: refusal } as const]),
    ...tool_calls.map((call, index) => ({ type: 'tool_call', index, ...call }) as const),
    { type: 'usage', ...usage },
  ];
}
