import type { ChatInputs, ChatMessage, ContentPart } from '../shape/inputs.ts';
import { present, refuse, withoutUnsupported, withVendor } from '../wire/parameters.ts';
import type { Dialect } from './dialects.ts';

/** What makes a request of a call. */
export interface RequestOptions {
  readonly dialect: Dialect;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly max_output_tokens?: number | undefined;
  readonly streamed: boolean;
  readonly ignored: readonly string[];
  readonly allowed: readonly string[];
}

/** Makes the body of a call of chat completions. Throws ProviderError `rejected` for what the vendor cannot take. */
export function chatRequest(call: ChatInputs, options: RequestOptions): Readonly<Record<string, unknown>> {
  const { dialect, streamed } = options;
  // `auto` is what a vendor without the parameter does.
  const { tool_choice, ...others } = call;
  const chosen: ChatInputs = tool_choice === 'auto' && dialect.unsupported.includes('tool_choice') ? others : call;
  const inputs = withoutUnsupported(chosen, dialect.unsupported, options.ignored);
  const body = present({
    model: options.model,
    messages: inputs.messages.map((message) => messageOf(message, dialect)),
    tools: inputs.tools?.map(toolOf),
    tool_choice: toolChoice(inputs.tool_choice, dialect),
    parallel_tool_calls: inputs.parallel_tool_calls,
    [dialect.max_tokens_field]: inputs.max_output_tokens ?? options.max_output_tokens,
    temperature: inputs.temperature,
    top_p: inputs.top_p,
    stop: inputs.stop,
    [dialect.seed_field]: inputs.seed,
    response_format: responseFormat(inputs.response_format, dialect),
    reasoning_effort: inputs.reasoning_effort,
    verbosity: inputs.verbosity,
    service_tier: inputs.service_tier,
    ...(streamed && { stream: true, ...streamOptions(dialect) }),
  });
  return withVendor(body, inputs.vendor, options.allowed);
}

function streamOptions({ usage }: Dialect): object {
  if (usage === 'unasked') return {};
  const continuous = usage === 'continuous' ? { continuous_usage_stats: true } : {};
  return { stream_options: { include_usage: true, ...continuous } };
}

function toolOf({ name, description, input_schema, strict }: NonNullable<ChatInputs['tools']>[number]): object {
  return { type: 'function', function: present({ name, description, parameters: input_schema, strict }) };
}

function toolChoice(choice: ChatInputs['tool_choice'], { required_word }: Dialect): unknown {
  if (choice === 'required') return required_word;
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

function responseFormat(format: ChatInputs['response_format'], { json_schema: has }: Dialect): unknown {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type !== 'json_schema') return { type: 'json_object' };
  if (!has) refuse('this provider has no `response_format` json_schema');
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: present({ name, description, schema, strict }) };
}

function messageOf(message: ChatMessage, dialect: Dialect): object {
  const { role, content, tool_calls, tool_call_id } = message;
  if (role === 'tool') return present({ role, tool_call_id, content: textOf(content) });
  const named = role === 'developer' && !dialect.developer_role ? 'system' : role;
  if (role !== 'assistant') return { role: named, content: contentOf(content, dialect) };
  const calls = tool_calls?.map(({ id, name, arguments_text }) => ({
    id,
    type: 'function',
    function: { name, arguments: arguments_text },
  }));
  const said = contentOf(content, dialect);
  const empty = said === '' || (Array.isArray(said) && said.length === 0);
  return present({ role, content: empty && calls !== undefined ? null : said, tool_calls: calls });
}

/** Joins the texts of a content. Throws ProviderError when it has other parts. */
export function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => (part.type === 'text' ? part.text : refuse('a system or tool message may only have text')))
    .join('');
}

function contentOf(content: ChatMessage['content'], dialect: Dialect): unknown {
  if (typeof content === 'string') return content;
  // What a model thought is no part of this API.
  return content.filter(({ type }) => type !== 'reasoning').map((part) => partOf(part, dialect));
}

function partOf(part: ContentPart, { image_url }: Dialect): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data_base64, format: part.format } };
    case 'document': {
      const file_data = `data:${part.media_type};base64,${part.data_base64}`;
      return { type: 'file', file: { filename: part.name ?? 'document', file_data } };
    }
    case 'image': {
      if (part.url !== undefined && !image_url) refuse('this provider takes images as data only, not by their URL');
      const url = part.url ?? `data:${part.media_type ?? ''};base64,${part.data_base64 ?? ''}`;
      return { type: 'image_url', image_url: present({ url, detail: part.detail }) };
    }
    default:
      return refuse('a message has a part that this provider cannot take');
  }
}
