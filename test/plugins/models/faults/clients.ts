import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ChatOutputs } from '../../../../providers/llm/contract.ts';
import { bodyOf, type Api } from './gateway.ts';

/** What a stock client got of one answer. */
export interface Heard {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: ChatOutputs['tool_calls'];
  readonly finish: string | undefined;
  readonly orb: { readonly run_id: string; readonly opening?: { readonly outputs_salt: string } } | undefined;
  /** What the client raised; absent: it took the answer for a whole one. */
  readonly raised?: unknown;
}

/** How a client asks. */
export interface Asking {
  /** What stands before `/v1`. */
  readonly base: string;
  readonly key: string;
  readonly stream: boolean;
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks through a door by its official client, unchanged, which does not repeat calls. */
export async function askAt(door: Api, number: number, { base, key, signal, stream }: Asking): Promise<Heard> {
  const headers = { 'x-orb-disclose': 'true' };
  const heard = new Hearing();
  const body = bodyOf(door, number, { stream });
  try {
    if (door === 'openai') {
      const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: key, maxRetries: 0, defaultHeaders: headers });
      const answer: unknown = await client.chat.completions.create(body as never, { signal });
      if (stream) for await (const chunk of answer as AsyncIterable<Json>) heard.chunk(chunk, 'delta');
      else heard.chunk(answer, 'message');
    } else {
      const client = new Anthropic({ baseURL: base, apiKey: key, maxRetries: 0, defaultHeaders: headers });
      const answer: unknown = await client.messages.create(body as never, { signal });
      if (stream) for await (const event of answer as AsyncIterable<Json>) heard.event(event);
      else heard.message(answer);
    }
    // The iterators of both clients end without an error when their caller aborts them.
    signal?.throwIfAborted();
    return heard.all();
  } catch (raised) {
    return { ...heard.all(), raised };
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are looked into as they come
type Json = any;

const finishes: Readonly<Record<string, string>> = { tool_use: 'tool_calls', end_turn: 'stop' };

class Hearing {
  #content = '';
  #reasoning = '';
  #finish: string | undefined;
  #orb: Heard['orb'];
  readonly #calls: { id: string; name: string; arguments_text: string }[] = [];

  chunk(chunk: Json, name: 'delta' | 'message'): void {
    this.#orb = chunk.orb ?? this.#orb;
    const [choice] = chunk.choices;
    if (choice === undefined) return;
    this.#content += choice[name].content ?? '';
    this.#reasoning += choice[name].reasoning_content ?? '';
    this.#finish = choice.finish_reason ?? this.#finish;
    for (const { id, function: fn } of choice[name].tool_calls ?? []) this.#call(id, fn.name, fn.arguments);
  }

  event({ type, delta, content_block: block, orb }: Json): void {
    this.#orb = orb ?? this.#orb;
    if (type === 'content_block_start' && block.type === 'tool_use') this.#call(block.id, block.name, '');
    if (type === 'message_delta') this.#stop(delta.stop_reason);
    if (type !== 'content_block_delta') return;
    this.#content += delta.text ?? '';
    this.#reasoning += delta.thinking ?? '';
    if (delta.partial_json !== undefined) this.#call(undefined, undefined, delta.partial_json);
  }

  message({ content, orb, stop_reason }: Json): void {
    this.#orb = orb;
    this.#stop(stop_reason);
    for (const block of content) {
      this.#content += block.text ?? '';
      this.#reasoning += block.thinking ?? '';
      if (block.type === 'tool_use') this.#call(block.id, block.name, JSON.stringify(block.input));
    }
  }

  all(): Heard {
    const [content, reasoning, calls] = [this.#content, this.#reasoning, this.#calls];
    return { content, reasoning, calls, finish: this.#finish, orb: this.#orb };
  }

  #stop(reason: string): void {
    this.#finish = finishes[reason] ?? reason;
  }

  #call(id: string | undefined, name: string | undefined, text: string): void {
    if (id !== undefined) this.#calls.push({ id, name: name ?? '', arguments_text: '' });
    const last = this.#calls.at(-1);
    if (last !== undefined) last.arguments_text += text;
  }
}
