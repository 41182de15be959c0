import { given } from '../../../kernel/index.ts';
import { names, type Member } from '../wire/member.ts';
import { opaqueOf } from '../wire/opaque.ts';
import type { ChatMessage, ContentPart } from '../../../providers/llm/contract.ts';
import { unlessEmpty, type ToolCall } from '../wire/shape.ts';

/** The adapter whose signatures travel in `extra_content` of this API. */
const signing = 'gemini';

const known = {
  system: names('role content'),
  developer: names('role content'),
  user: names('role content'),
  // What answers of this API have and requests may repeat.
  assistant: names('role content refusal tool_calls reasoning_content extra_content annotations'),
  tool: names('role content tool_call_id'),
} as const;

const foreign = new Map<string, unknown>(['name', 'audio', 'function_call'].map((name) => [name, undefined]));

/** Reads one message of a conversation. Throws 422 `invalid_body`, 400 `unsupported_parameter`. */
export function messageOf(message: Member): ChatMessage {
  if (message.at('role').value === 'function') message.at('role').unsupported('function is not supported; use tool');
  const role = message.at('role').word('system', 'developer', 'user', 'assistant', 'tool');
  message.only(known[role], foreign);
  const content = message.at('content');
  if (role === 'assistant') return assistant(message);
  if (role !== 'tool') return { role, content: contentOf(content) };
  return { role, content: contentOf(content), tool_call_id: message.at('tool_call_id').text() };
}

function assistant(message: Member): ChatMessage {
  const said = message.at('content').maybe(contentOf) ?? '';
  const refusal = message.at('refusal').maybe((one) => one.text());
  const reasoning = reasoningOf(message);
  const tool_calls = unlessEmpty(message.at('tool_calls').maybe((calls) => calls.items().map(callOf)));
  const extra: ContentPart[] = [
    ...(reasoning === undefined ? [] : [reasoning]),
    ...(typeof said === 'string' ? (said === '' ? [] : [{ type: 'text', text: said } as const]) : said),
    ...(refusal === undefined ? [] : [{ type: 'refusal', text: refusal } as const]),
  ];
  const content = reasoning === undefined && refusal === undefined ? said : extra;
  return { role: 'assistant', content, ...given({ tool_calls }) };
}

// The signature is in the message, or in its first call, where other gateways put it.
function reasoningOf(message: Member): ContentPart | undefined {
  const text = message.at('reasoning_content').maybe((one) => one.text());
  const calls = message.at('tool_calls').maybe((one) => one.items()) ?? [];
  const signature = [message, ...calls].map(signatureIn).find((found) => found !== undefined);
  const opaque = signature === undefined ? undefined : opaqueOf(signature, signing);
  if (text === undefined && opaque === undefined) return undefined;
  return { type: 'reasoning', ...given({ text, opaque }) };
}

function signatureIn(member: Member): string | undefined {
  const google = member.at('extra_content').maybe((one) => one.at('google'));
  return google?.maybe((one) => one.at('thought_signature').maybe((text) => text.text()));
}

const ofCall = names('id type function extra_content index');
const ofFunction = names('name arguments');

function callOf(call: Member): ToolCall {
  call.at('type').maybe((type) => type.value === 'function' || type.unsupported('must be function'));
  const made = call.only(ofCall).at('function').only(ofFunction);
  return {
    id: call.at('id').text(),
    name: made.at('name').text(),
    arguments_text: made.at('arguments').text(),
  };
}

function contentOf(content: Member): ChatMessage['content'] {
  return typeof content.value === 'string' ? content.value : content.items().map(partOf);
}

// A break point of the cache changes no answer.
const ofText = names('type text prompt_cache_breakpoint');
const ofImage = names('type image_url prompt_cache_breakpoint');
const ofAudio = names('type input_audio prompt_cache_breakpoint');
const ofFile = names('type file prompt_cache_breakpoint');

function partOf(part: Member): ContentPart {
  switch (part.at('type').text()) {
    case 'text':
      return { type: 'text', text: part.only(ofText).at('text').text() };
    case 'image_url':
      return image(part.only(ofImage).at('image_url').only(names('url detail')));
    case 'input_audio': {
      const audio = part.only(ofAudio).at('input_audio').only(names('data format'));
      return { type: 'audio', format: audio.at('format').text(), data_base64: audio.at('data').text() };
    }
    case 'file':
      return file(part.only(ofFile).at('file'));
    case 'refusal':
      return { type: 'refusal', text: part.only(names('type refusal')).at('refusal').text() };
    default:
      return part.at('type').unsupported('must be text, image_url, input_audio, file or refusal');
  }
}

function image(made: Member): ContentPart {
  const url = made.at('url').text();
  const detail = given({ detail: made.at('detail').maybe((one) => one.word('auto', 'low', 'high', 'original')) });
  return { type: 'image', ...(url.startsWith('data:') ? dataOf(made.at('url')) : { url }), ...detail };
}

function file(made: Member): ContentPart {
  made.only(names('file_data filename'), new Map([['file_id', undefined]]));
  const name = made.at('filename').maybe((one) => one.text());
  return { type: 'document', ...dataOf(made.at('file_data')), ...given({ name }) };
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+);base64,/;

function dataOf(url: Member): { readonly media_type: string; readonly data_base64: string } {
  const text = url.text();
  const [head, media_type] = dataUrl.exec(text.slice(0, 200)) ?? [];
  if (head === undefined || media_type === undefined) return url.refuse('must begin with data:<media type>;base64,');
  return { media_type, data_base64: text.slice(head.length) };
}
