import { given } from '../../../kernel/index.ts';
import { signatureOf } from '../wire/opaque.ts';
import {
  partsOf,
  type ChatOutputs,
  type ChatPart,
  type ToolCallPart,
  type Usage,
} from '../../../providers/llm/contract.ts';
import type { OrbMember, StreamCodec } from '../wire/shape.ts';
import { orbOf, stopOf, usageOf } from './answer.ts';
import { signing } from './messages.ts';

/** What the first event of a stream names. */
export interface MessageFrame {
  readonly id: string;
  readonly model: string;
}

interface Block {
  readonly kind: 'text' | 'thinking' | 'tool_use';
  /** Of a call of a tool. */
  readonly call?: number | undefined;
}

/** Keeps the connection of a stream open; clients ignore it. */
export const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

/** Writes the events of a message. */
export class MessageStream implements StreamCodec {
  readonly #frame: MessageFrame;
  readonly #closed = new Set<number>();
  #usage: Usage = { source: 'absent' };
  #begun = false;
  #block: Block | undefined;
  #index = -1;
  #signed = false;

  constructor(frame: MessageFrame) {
    this.#frame = frame;
  }

  part(part: ChatPart): string {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return part.text === '' ? '' : this.#text(part.text);
      case 'reasoning':
        return this.#thinking(part);
      case 'tool_call':
        return this.#call(part);
      case 'usage':
        this.#usage = { ...this.#usage, ...part };
        return '';
    }
  }

  end(outputs: ChatOutputs, orb: OrbMember): string {
    if (!this.#begun) this.#usage = outputs.usage;
    const late = this.#begun
      ? ''
      : partsOf(outputs)
          .map((part) => this.part(part))
          .join('');
    const opened = this.#start(outputs.usage);
    const signed = this.#sign(outputs);
    const usage = { ...usageOf(outputs.usage), ...given({ service_tier: outputs.service_tier }) };
    const delta = { type: 'message_delta', delta: stopOf(outputs), usage, orb: orbOf(outputs, orb) };
    return `${late}${opened}${signed}${this.#stop()}${event(delta)}${event({ type: 'message_stop' })}`;
  }

  // The signature ends the block of the thinking, which is open only while nothing else was said.
  #sign({ reasoning }: ChatOutputs): string {
    if (this.#signed || reasoning?.opaque === undefined || this.#block?.kind !== 'thinking') return '';
    return this.#thinking({ type: 'reasoning', opaque: reasoning.opaque });
  }

  #start(usage: Usage): string {
    if (this.#begun) return '';
    this.#begun = true;
    const message = {
      ...{ id: this.#frame.id, type: 'message', role: 'assistant', model: this.#frame.model, content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: { ...usageOf(usage), output_tokens: 0 },
    };
    return event({ type: 'message_start', message });
  }

  #text(text: string): string {
    const opened = this.#open({ kind: 'text' }, { type: 'text', text: '' });
    return opened + this.#delta({ type: 'text_delta', text });
  }

  #thinking({ text, opaque }: ChatPart & { readonly type: 'reasoning' }): string {
    const signature = opaque && signatureOf(opaque, signing);
    if (signature !== undefined && text === undefined && this.#block?.kind !== 'thinking') {
      const block = { type: 'redacted_thinking', data: signature };
      return this.#start(this.#usage) + this.#stop() + this.#whole(block);
    }
    if (text === undefined && signature === undefined) return '';
    const opened = this.#open({ kind: 'thinking' }, { type: 'thinking', thinking: '', signature: '' });
    const said = text === undefined || text === '' ? '' : this.#delta({ type: 'thinking_delta', thinking: text });
    if (signature === undefined) return opened + said;
    this.#signed = true;
    return opened + said + this.#delta({ type: 'signature_delta', signature });
  }

  #call({ index, id, name, arguments_text }: ToolCallPart): string {
    // Blocks follow each other in this API; a provider that mixes the calls breaks its own grammar.
    if (this.#closed.has(index)) throw new Error(`a part of the call ${index} came after its end`);
    const opened = this.#open({ kind: 'tool_use', call: index }, { type: 'tool_use', id, name, input: {} });
    if (arguments_text === undefined || arguments_text === '') return opened;
    return opened + this.#delta({ type: 'input_json_delta', partial_json: arguments_text });
  }

  #open(block: Block, content_block: object): string {
    if (this.#block?.kind === block.kind && this.#block.call === block.call) return '';
    const before = this.#start(this.#usage) + this.#stop();
    this.#block = block;
    this.#index += 1;
    return before + event({ type: 'content_block_start', index: this.#index, content_block });
  }

  #whole(content_block: object): string {
    this.#index += 1;
    const index = this.#index;
    return event({ type: 'content_block_start', index, content_block }) + event({ type: 'content_block_stop', index });
  }

  #delta(delta: object): string {
    return event({ type: 'content_block_delta', index: this.#index, delta });
  }

  #stop(): string {
    if (this.#block === undefined) return '';
    if (this.#block.call !== undefined) this.#closed.add(this.#block.call);
    this.#block = undefined;
    return event({ type: 'content_block_stop', index: this.#index });
  }
}

function event(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
