/**
 * What `llm.chat` and `llm.embed` take and answer, as the doors use it. The schemas of the Orbs check the inputs again.
 */
export interface Opaque {
  readonly adapter: string;
  readonly data: unknown;
}

/** One part of a message. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'image'; readonly detail?: string } & Source)
  | { readonly type: 'document'; readonly media_type: string; readonly data_base64: string; readonly name?: string }
  | { readonly type: 'audio'; readonly format: string; readonly data_base64: string }
  | { readonly type: 'refusal'; readonly text: string }
  | ({ readonly type: 'reasoning' } & Reasoning);

type Source = { readonly media_type: string; readonly data_base64: string } | { readonly url: string };

/** What a model thought, and the form in which its vendor takes it back. */
export interface Reasoning {
  readonly text?: string;
  readonly opaque?: Opaque;
}

/** A call of a tool; its arguments are the vendor's own text. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments_text: string;
}

/** One message of a conversation. */
export interface Message {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly ContentPart[];
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly is_error?: boolean;
}

/** The inputs of `llm.chat`. */
export interface ChatInputs {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly [member: string]: unknown;
}

/** Counts of tokens, inclusive: `input_tokens` holds the cached ones, `output_tokens` those of reasoning. */
export interface Usage {
  readonly input_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: Readonly<Record<string, number>>;
  readonly output_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly source: 'vendor' | 'partial' | 'absent';
}

/** The outputs of `llm.chat`. */
export interface ChatOutputs {
  readonly model: string;
  readonly content: string;
  readonly reasoning?: Reasoning;
  readonly refusal?: string;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal';
  readonly usage: Usage;
  readonly service_tier?: string;
}

/** What a run emits while it streams. */
export type StreamPart =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'reasoning' } & Reasoning)
  | { readonly type: 'refusal'; readonly text: string }
  | ({ readonly type: 'tool_call'; readonly index: number } & Partial<ToolCall>)
  | { readonly type: 'usage'; readonly usage: Usage };

/** How an answer names its run and the receipt. */
export interface OrbMember {
  readonly run_id: string;
  readonly receipt_id: string;
  /** Absent where it is not known. `amount_nanos`: 10⁻⁹ of a unit of the currency. */
  readonly cost?: { readonly currency: string; readonly amount_nanos: number };
  readonly opening?: object;
}

/** A request of a door, read. */
export interface ChatRequest {
  readonly inputs: ChatInputs;
  readonly stream: boolean;
}

/** Writes what a run emits in the events of a door. */
export interface StreamCodec {
  /** The events of one part; empty when the door shows nothing of it. */
  part(part: StreamPart): string;
  /** The last events: what was not emitted of the outputs, and the end. */
  end(outputs: ChatOutputs, orb: OrbMember): string;
}

/** Makes the parts of an answer that was not emitted, such as a replayed one. */
export function partsOf({ content, reasoning, refusal, tool_calls }: ChatOutputs): readonly StreamPart[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', ...reasoning } as const]),
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...(refusal === undefined ? [] : [{ type: 'refusal', text: refusal } as const]),
    ...tool_calls.map((call, index) => ({ type: 'tool_call', index, ...call }) as const),
  ];
}
