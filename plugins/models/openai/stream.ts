import { given } from '../../../kernel/index.ts';
import { partsOf, type ChatOutputs, type ChatPart, type ToolCallPart } from '../../../providers/llm/contract.ts';
import type { OrbMember, StreamCodec } from '../wire/shape.ts';
import { extraOf, finishOf, usageOf, type AnswerFrame } from './answer.ts';

/** What chunks of one stream name. */
export interface ChunkFrame extends AnswerFrame {
  readonly model: string;
  readonly includeUsage: boolean;
}

/** Keeps the connection of a stream open; clients ignore it. */
export const chunkKeepalive = ': still working\n\n';

/** Writes the chunks of a chat completion. */
export class ChunkStream implements StreamCodec {
  readonly #head: string;
  readonly #usage: string;
  readonly #calls = new Set<number>();
  #begun = false;

  constructor({ id, created, model, includeUsage }: ChunkFrame) {
    const frame = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.#head = `data: ${frame.slice(0, -1)},"choices":`;
    this.#usage = includeUsage ? ',"usage":null' : '';
  }

  part(part: ChatPart): string {
    const text = this.#deltas(part);
    if (text === '' || this.#begun) return text;
    this.#begun = true;
    return this.#delta('{"role":"assistant","content":""}') + text;
  }

  end(outputs: ChatOutputs, orb: OrbMember): string {
    const late = this.#begun
      ? ''
      : partsOf(outputs)
          .map((part) => this.part(part))
          .join('');
    // A stream without any part has a role, too.
    const role = this.#begun ? '' : this.#delta('{"role":"assistant","content":""}');
    const extra = extraOf(outputs.reasoning);
    const signed = extra === undefined ? '' : this.#delta(JSON.stringify({ extra_content: extra }));
    const { service_tier } = outputs;
    const last = JSON.stringify({ ...given({ service_tier }), orb }).slice(1, -1);
    const finish = JSON.stringify(finishOf(outputs.finish_reason));
    const choice = `[{"index":0,"delta":{},"logprobs":null,"finish_reason":${finish}}]`;
    return `${late}${role}${signed}${this.#head}${choice}${this.#usage},${last}}\n\n${this.#total(outputs)}data: [DONE]\n\n`;
  }

  #total({ usage }: ChatOutputs): string {
    const told = this.#usage === '' ? undefined : usageOf(usage);
    return told === undefined ? '' : `${this.#head}[],"usage":${JSON.stringify(told)}}\n\n`;
  }

  #deltas(part: ChatPart): string {
    switch (part.type) {
      case 'text':
        return part.text === '' ? '' : this.#delta(`{"content":${JSON.stringify(part.text)}}`);
      case 'refusal':
        return part.text === '' ? '' : this.#delta(`{"refusal":${JSON.stringify(part.text)}}`);
      case 'reasoning':
        return part.text === undefined || part.text === ''
          ? ''
          : this.#delta(`{"reasoning_content":${JSON.stringify(part.text)}}`);
      case 'tool_call':
        return this.#call(part);
      case 'usage':
        return '';
    }
  }

  // Stock clients take name and type in the first delta of a call only.
  #call({ index, id, name, arguments_text }: ToolCallPart): string {
    let text = '';
    if (!this.#calls.has(index)) {
      this.#calls.add(index);
      text = this.#toolDelta({ index, id, type: 'function', function: { name, arguments: '' } });
    }
    if (arguments_text === undefined || arguments_text === '') return text;
    return text + this.#toolDelta({ index, function: { arguments: arguments_text } });
  }

  #toolDelta(call: object): string {
    return this.#delta(`{"tool_calls":[${JSON.stringify(call)}]}`);
  }

  #delta(delta: string): string {
    return `${this.#head}[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":null}]${this.#usage}}\n\n`;
  }
}
