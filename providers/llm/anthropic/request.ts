import type { ChatInputs, ChatMessage } from '../shape/inputs.ts';
import { present, refuse, withoutUnsupported, withVendor } from '../wire/parameters.ts';
import { blocksOf, textBlocks, toolUse, type Block } from './blocks.ts';

/** The versions of the API that the adapter speaks. */
export const versions = ['2026-10-21', '2023-06-01'] as const;

/** What makes a request of a call. */
export interface RequestOptions {
  readonly version: (typeof versions)[number];
  /** The vendor's name of the model. */
  readonly model: string;
  /** Sent when the caller names no number: the vendor requires one. */
  readonly max_output_tokens: number;
  readonly thinking: 'adaptive' | 'disabled' | undefined;
  readonly streamed: boolean;
  readonly ignored: readonly string[];
  readonly allowed: readonly string[];
}

// The new version refuses these at any value.
const sampling = ['temperature', 'top_p'] as const;

/** Makes the body of a call of the Messages API. Throws ProviderError `rejected` for what the vendor cannot take. */
export function messagesRequest(call: ChatInputs, options: RequestOptions): Readonly<Record<string, unknown>> {
  const { ignored, version } = options;
  const unsupported = ['seed', 'verbosity', ...(version === '2026-10-21' ? sampling : [])];
  const inputs = withoutUnsupported(call, unsupported, ignored);
  const system = inputs.messages.filter(isSystem).flatMap(({ content }) => textBlocks(content));
  const body = present({
    model: options.model,
    max_tokens: inputs.max_output_tokens ?? options.max_output_tokens,
    messages: turnsOf(inputs.messages, version),
    system: system.length === 0 ? undefined : system,
    tools: inputs.tools?.map(({ name, description, input_schema, strict }) =>
      present({ name, description, input_schema: { type: 'object', ...input_schema }, strict }),
    ),
    tool_choice: toolChoice(inputs),
    temperature: inputs.temperature === undefined ? undefined : Math.min(1, inputs.temperature),
    top_p: inputs.top_p,
    stop_sequences: inputs.stop,
    thinking: thinkingOf(inputs.reasoning_effort, options.thinking),
    output_config: outputConfig(inputs),
    service_tier: serviceTier(inputs.service_tier),
    ...(options.streamed && { stream: true }),
  });
  return withVendor(body, inputs.vendor, options.allowed);
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

// The vendor wants turns that alternate, and results of tools before all else of a turn.
function turnsOf(messages: ChatInputs['messages'], version: RequestOptions['version']): readonly Turn[] {
  const turns: { role: Turn['role']; content: Block[] }[] = [];
  for (const [at, message] of messages.entries()) {
    if (isSystem(message)) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = messageBlocks(message, at, version);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  }
  return turns
    .filter(({ content }) => content.length > 0)
    .map(({ role, content }) => ({ role, content: [...content.filter(isResult), ...content.filter(isOther)] }));
}

// The vendor wants them first; clients that got a signature at the end send it back there.
const isThought = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';
const isResult = ({ type }: Block): boolean => type === 'tool_result';
const isOther = (block: Block): boolean => !isResult(block);

function messageBlocks(message: ChatMessage, at: number, version: RequestOptions['version']): readonly Block[] {
  const { content, is_error, role, tool_calls = [], tool_call_id } = message;
  if (role === 'tool') {
    if (tool_call_id === undefined) refuse(`messages[${at}] has no \`tool_call_id\``);
    const blocks = typeof content === 'string' ? content : blocksOf(content);
    return [{ ...present({ tool_use_id: tool_call_id, content: blocks, is_error }), type: 'tool_result' }];
  }
  const blocks = typeof content === 'string' ? textBlocks(content) : blocksOf(content);
  if (role !== 'assistant') return blocks;
  if (version === '2026-10-21' && blocks.some(({ type }) => type === 'document'))
    refuse(`messages[${at}] is an assistant's and has a document`);
  // The vendor refuses a text of white space alone.
  const said = blocks.filter((block) => block.type !== 'text' || String(block['text']).trim() !== '');
  return [
    ...said.filter(isThought),
    ...said.filter((block) => !isThought(block)),
    ...tool_calls.map((call) => toolUse(call, at)),
  ];
}

function toolChoice({ tool_choice: choice, parallel_tool_calls: parallel, tools }: ChatInputs): object | undefined {
  if (choice === undefined && (parallel === undefined || tools === undefined)) return undefined;
  if (choice === 'none') return { type: 'none' };
  const disable = parallel === undefined ? {} : { disable_parallel_tool_use: !parallel };
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...disable };
  return { type: choice === 'required' ? 'any' : 'auto', ...disable };
}

function thinkingOf(effort: ChatInputs['reasoning_effort'], thinking: RequestOptions['thinking']): object | undefined {
  const type = effort === 'none' ? 'disabled' : thinking;
  return type === undefined ? undefined : { type };
}

function outputConfig({ reasoning_effort: effort, response_format: format }: ChatInputs): object | undefined {
  if (format?.type === 'json') refuse('this provider has no `response_format` json; use json_schema');
  const config = present({
    effort: effort === 'none' ? undefined : effort === 'minimal' ? 'low' : effort,
    format: format?.type === 'json_schema' ? { type: 'json_schema', schema: format.schema } : undefined,
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

function serviceTier(tier: string | undefined): string | undefined {
  if (tier === undefined || tier === 'auto' || tier === 'standard_only') return tier;
  if (tier === 'default') return 'standard_only';
  return refuse('unsupported parameter `service_tier` at this provider: auto or standard_only');
}
