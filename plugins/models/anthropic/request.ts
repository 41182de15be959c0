import { given } from '../../../kernel/index.ts';
import { names, type Member } from '../wire/member.ts';
import type { ChatInputs } from '../../../providers/llm/contract.ts';
import { efforts, unlessEmpty, type ChatRequest } from '../wire/shape.ts';
import { messagesOf, textsOf } from './messages.ts';

// `metadata` names the end user; hints of the cache change no answer.
const shared = 'model messages system tools tool_choice thinking output_config cache_control context_management';
const read = names(`${shared} max_tokens stop_sequences stream temperature top_p service_tier metadata vendor`);
const counted = names(shared);

const foreign = new Map<string, unknown>([
  ['container', undefined],
  ['inference_geo', undefined],
  ['mcp_servers', []],
  ['speed', 'standard'],
  ['top_k', undefined],
]);

/** Reads the body of `POST /v1/messages`. Throws 422 `invalid_body`, 400 for a parameter that is not supported. */
export function messagesRequest(body: Member): ChatRequest {
  body.only(read, foreign);
  const at = (name: string): Member => body.at(name);
  return {
    stream: at('stream').maybe((one) => one.flag()) === true,
    inputs: {
      ...conversation(body),
      max_output_tokens: at('max_tokens').integer(),
      ...given({
        temperature: at('temperature').maybe((one) => one.number()),
        top_p: at('top_p').maybe((one) => one.number()),
        stop: unlessEmpty(at('stop_sequences').maybe((stop) => stop.items().map((one) => one.text()))),
        service_tier: at('service_tier').maybe((one) => one.text()),
        vendor: at('vendor').maybe((one) => one.plain()),
      }),
    },
  };
}

/** Reads the body of `POST /v1/messages/count_tokens`. Throws like `messagesRequest`. */
export function countRequest(body: Member): ChatRequest['inputs'] {
  return conversation(body.only(counted, foreign));
}

function conversation(body: Member): ChatRequest['inputs'] {
  body.at('context_management').maybe(keepContext);
  const system = body.at('system').maybe(textsOf);
  const messages = body.at('messages').items().flatMap(messagesOf);
  const choice = body.at('tool_choice').maybe((one) => one.only(ofChoice));
  const parallel = choice?.at('disable_parallel_tool_use').maybe((one) => one.flag());
  const config = body.at('output_config').maybe((one) => one.only(names('effort format')));
  const reasoning_effort =
    config?.at('effort').maybe((one) => one.word(...efforts)) ?? body.at('thinking').maybe(effortOf);
  return {
    model: body.at('model').text(),
    messages: system === undefined ? messages : [{ role: 'system', content: system }, ...messages],
    ...given({
      tools: unlessEmpty(body.at('tools').maybe((tools) => tools.items().map(toolOf))),
      tool_choice: choice && choiceOf(choice),
      parallel_tool_calls: parallel === true ? false : undefined,
      reasoning_effort,
      response_format: config?.at('format').maybe(formatOf),
    }),
  };
}

// Claude Code asks to keep all thoughts, which is what happens without it. To clear some of them is the vendor's work.
function keepContext(management: Member): void {
  const edits =
    management
      .only(names('edits'))
      .at('edits')
      .maybe((one) => one.items()) ?? [];
  for (const edit of edits) {
    const { keep, type } = edit.plain();
    if (keep !== 'all' || !String(type).startsWith('clear_thinking_')) edit.unsupported();
  }
}

const ofChoice = names('type name disable_parallel_tool_use');

function choiceOf(choice: Member): ChatInputs['tool_choice'] {
  const type = choice.at('type').word('auto', 'any', 'none', 'tool');
  if (type === 'tool') return { name: choice.at('name').text() };
  return type === 'any' ? 'required' : type;
}

const ofTool = names('type name description input_schema strict cache_control eager_input_streaming');

function toolOf(tool: Member): NonNullable<ChatInputs['tools']>[number] {
  // Tools that the vendor runs have a type with their version.
  tool.at('type').maybe((type) => type.value === 'custom' || type.unsupported('must be custom'));
  tool.only(ofTool);
  return {
    name: tool.at('name').text(),
    ...given({ description: tool.at('description').maybe((one) => one.text()) }),
    input_schema: tool.at('input_schema').plain(),
    ...given({ strict: tool.at('strict').maybe((one) => one.flag()) }),
  };
}

function formatOf(format: Member): ChatInputs['response_format'] {
  format.only(names('type schema')).at('type').word('json_schema');
  return { type: 'json_schema', name: 'answer', schema: format.at('schema').plain(), strict: true };
}

// Newer models take a level in place of a number of tokens.
const levels = [
  { above: 16_000, level: 'high' },
  { above: 4_000, level: 'medium' },
  { above: 0, level: 'low' },
] as const;

function effortOf(thinking: Member): ChatInputs['reasoning_effort'] {
  thinking.only(names('type budget_tokens display'));
  const type = thinking.at('type').word('enabled', 'disabled', 'adaptive', 'between_tools');
  if (type === 'disabled') return 'none';
  // The model decides by itself.
  if (type !== 'enabled') return undefined;
  const budget = thinking.at('budget_tokens').integer();
  return levels.find(({ above }) => budget > above)?.level ?? thinking.at('budget_tokens').refuse('must be above 0');
}
