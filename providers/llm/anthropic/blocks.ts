import type { ChatMessage, ContentPart } from '../shape/inputs.ts';
import { present, refuse } from '../wire/parameters.ts';

/** A block of content, as the Messages API has it. */
export interface Block {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The name under which thoughts are sealed: they go back to this adapter alone. */
export const sealer = 'llm/anthropic';

/** Makes the blocks of a text; none of an empty one. Throws ProviderError for parts that are no text. */
export function textBlocks(content: ChatMessage['content']): readonly Block[] {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.map((part) => (part.type === 'text' ? part.text : refuse('a system message may only have text')));
  return texts.filter((text) => text !== '').map((text) => ({ type: 'text', text }));
}

/** Makes the blocks of the parts of a message. */
export function blocksOf(content: readonly ContentPart[]): readonly Block[] {
  return content.flatMap(blockOf);
}

function blockOf(part: ContentPart): readonly Block[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image': {
      if (part.url !== undefined) return [{ type: 'image', source: { type: 'url', url: part.url } }];
      return [{ type: 'image', source: base64(part.media_type ?? '', part.data_base64 ?? '') }];
    }
    case 'document': {
      const { data_base64, media_type, name } = part;
      const plain = media_type === 'text/plain';
      const text = (): object => ({ type: 'text', media_type, data: Buffer.from(data_base64, 'base64').toString() });
      return [
        { type: 'document', ...present({ title: name, source: plain ? text() : base64(media_type, data_base64) }) },
      ];
    }
    case 'reasoning':
      return part.opaque?.adapter === sealer ? thoughtsOf(part.opaque.data) : [];
    default:
      return refuse('a message has audio, which this provider cannot take');
  }
}

function base64(media_type: string, data: string): object {
  return { type: 'base64', media_type, data };
}

/** Seals the thoughts of an answer, with the signatures without which the vendor takes no result of a tool. */
export function sealed(blocks: readonly Block[]): string {
  return JSON.stringify(blocks);
}

function thoughtsOf(data: string): readonly Block[] {
  try {
    const blocks = JSON.parse(data) as unknown;
    if (Array.isArray(blocks) && blocks.every(isThought)) return blocks;
  } catch {
    // As for any other text that is not ours.
  }
  return refuse('a message has reasoning that this provider did not make');
}

function isThought(block: unknown): block is Block {
  const type = typeof block === 'object' && block !== null && 'type' in block ? block.type : undefined;
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Makes the block of a call of a tool. Throws ProviderError unless its arguments are a JSON object. */
export function toolUse(
  { id, name, arguments_text }: NonNullable<ChatMessage['tool_calls']>[number],
  at: number,
): Block {
  return { type: 'tool_use', id, name, input: objectOf(arguments_text, at) };
}

function objectOf(text: string, at: number): object {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below, without the text.
  }
  return refuse(`messages[${at}] has a tool call whose arguments are no JSON object`);
}
