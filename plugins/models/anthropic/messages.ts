import { given } from '../../../kernel/index.ts';
import { names, type Member } from '../wire/member.ts';
import { opaqueOf } from '../wire/opaque.ts';
import type { ChatMessage, ContentPart } from '../../../providers/llm/contract.ts';
import type { ToolCall } from '../wire/shape.ts';

/** The adapter whose signatures this API has. */
export const signing = 'anthropic';

const ofMessage = names('role content');

/** Reads one message: the results of tools in it become messages of their own. Throws 422, 400 `unsupported_parameter`. */
export function messagesOf(message: Member): readonly ChatMessage[] {
  const role = message.only(ofMessage).at('role').word('user', 'assistant', 'system');
  const content = message.at('content');
  if (role === 'system') return [{ role, content: textsOf(content) }];
  if (typeof content.value === 'string') return [{ role, content: content.value }];
  const blocks = content.items();
  if (role === 'assistant') return [assistant(blocks)];
  const results = blocks.filter((block) => block.at('type').value === 'tool_result');
  const rest = blocks.filter((block) => !results.includes(block));
  const said: readonly ChatMessage[] = rest.length === 0 ? [] : [{ role, content: rest.map(partOf) }];
  return [...results.map(resultOf), ...said];
}

/** Reads the text of a system prompt: a string, or blocks of text. */
export function textsOf(system: Member): ChatMessage['content'] {
  if (typeof system.value === 'string') return system.value;
  return system.items().map((block) => {
    if (block.at('type').text() !== 'text') block.at('type').unsupported('must be text');
    return { type: 'text', text: block.only(ofText).at('text').text() };
  });
}

const ofResult = names('type tool_use_id content is_error cache_control');

function resultOf(block: Member): ChatMessage {
  const content = block.only(ofResult).at('content');
  return {
    role: 'tool',
    tool_call_id: block.at('tool_use_id').text(),
    content: content.maybe((one) => (typeof one.value === 'string' ? one.value : one.items().map(partOf))) ?? '',
    ...given({ is_error: block.at('is_error').maybe((one) => one.flag()) }),
  };
}

function assistant(blocks: readonly Member[]): ChatMessage {
  const uses = blocks.filter((block) => block.at('type').value === 'tool_use');
  const content = blocks.filter((block) => !uses.includes(block)).map(saidOf);
  const tool_calls = uses.map(callOf);
  return { role: 'assistant', content, ...(tool_calls.length === 0 ? {} : { tool_calls }) };
}

const ofUse = names('type id name input cache_control caller');

function callOf(block: Member): ToolCall {
  block.only(ofUse);
  const input = JSON.stringify(block.at('input').plain());
  return { id: block.at('id').text(), name: block.at('name').text(), arguments_text: input };
}

const ofThinking = names('type thinking signature');
const ofRedacted = names('type data');

function saidOf(block: Member): ContentPart {
  const type = block.at('type').text();
  if (type === 'thinking') {
    const text = block.only(ofThinking).at('thinking').text();
    const signature = block.at('signature').maybe((one) => one.text());
    const opaque = signature === undefined || signature === '' ? undefined : opaqueOf(signature, signing);
    return { type: 'reasoning', ...given({ text: text === '' ? undefined : text, opaque }) };
  }
  if (type === 'redacted_thinking') {
    const opaque = opaqueOf(block.only(ofRedacted).at('data').text(), signing);
    return { type: 'reasoning', ...given({ opaque }) };
  }
  return partOf(block);
}

// Hints of the cache change no answer; citations are those of an answer that is sent back.
const ofText = names('type text cache_control citations');
const ofImage = names('type source cache_control');
const ofDocument = names('type source title cache_control citations context');

function partOf(block: Member): ContentPart {
  switch (block.at('type').text()) {
    case 'text':
      return { type: 'text', text: block.only(ofText).at('text').text() };
    case 'image':
      return { type: 'image', ...sourceOf(block.only(ofImage).at('source')) };
    case 'document':
      return document(block.only(ofDocument));
    default:
      return block.at('type').unsupported('is not a block that the gateway passes on');
  }
}

function sourceOf(
  source: Member,
): { readonly media_type: string; readonly data_base64: string } | { readonly url: string } {
  const type = source.at('type').text();
  if (type === 'url') return { url: source.at('url').text() };
  if (type !== 'base64') return source.at('type').unsupported('must be base64 or url');
  return { media_type: source.at('media_type').text(), data_base64: source.at('data').text() };
}

function document(block: Member): ContentPart {
  block.at('context').maybe((one) => one.unsupported());
  block.at('citations').maybe((one) => one.at('enabled').value !== true || one.unsupported());
  const source = block.at('source');
  const name = given({ name: block.at('title').maybe((one) => one.text()) });
  if (source.at('type').value === 'text') {
    const bytes = Buffer.from(source.at('data').text());
    return { type: 'document', media_type: 'text/plain', data_base64: bytes.toString('base64'), ...name };
  }
  const read = sourceOf(source);
  return 'url' in read
    ? source.at('type').unsupported('must be base64 or text')
    : { type: 'document', ...read, ...name };
}
