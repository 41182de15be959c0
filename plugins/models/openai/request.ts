import { given } from '../../../kernel/index.ts';
import { names, type Member } from '../wire/member.ts';
import type { ChatInputs } from '../../../providers/llm/contract.ts';
import { efforts, unlessEmpty, verbosities, type ChatRequest } from '../wire/shape.ts';
import { messageOf } from './messages.ts';

// Hints of the caller to its vendor, which change no answer.
const ignored = 'user metadata safety_identifier prompt_cache_key stream_options';
const read = names(
  `model messages tools tool_choice parallel_tool_calls response_format max_completion_tokens max_tokens ` +
    `reasoning_effort verbosity temperature top_p stop seed n stream service_tier vendor ${ignored}`,
);

// Parameters of the vendor's API with the value that asks for nothing.
const foreign = new Map<string, unknown>([
  ['store', false],
  ['logprobs', false],
  ['top_logprobs', 0],
  ['presence_penalty', 0],
  ['frequency_penalty', 0],
  ['logit_bias', {}],
  ['modalities', ['text']],
  ...['audio', 'prediction', 'web_search_options', 'moderation', 'functions', 'function_call'].map(bare),
  ...['prompt_cache_options', 'prompt_cache_retention'].map(bare),
]);

function bare(name: string): readonly [string, undefined] {
  return [name, undefined];
}

/** A request for chat completions, read. */
export interface CompletionRequest extends ChatRequest {
  /** The stream ends with a chunk of the usage. */
  readonly includeUsage: boolean;
}

/** Reads the body of `POST /v1/chat/completions`. Throws 422 `invalid_body`, 400 for a parameter that is not supported. */
export function completionRequest(body: Member): CompletionRequest {
  body.only(read, foreign);
  const at = (name: string): Member => body.at(name);
  at('n').maybe((n) => n.value === 1 || n.unsupported('must be 1: the usage of several choices cannot be told apart'));
  const limit = at('max_completion_tokens').isAbsent ? at('max_tokens') : at('max_completion_tokens');
  return {
    stream: at('stream').maybe((one) => one.flag()) === true,
    includeUsage: at('stream_options').maybe((one) => one.at('include_usage').maybe((flag) => flag.flag())) === true,
    inputs: {
      model: at('model').text(),
      messages: at('messages').items().map(messageOf),
      ...given({
        tools: unlessEmpty(at('tools').maybe((tools) => tools.items().map(toolOf))),
        tool_choice: at('tool_choice').maybe(choiceOf),
        parallel_tool_calls: at('parallel_tool_calls').maybe((one) => one.flag()),
        response_format: at('response_format').maybe(formatOf),
        max_output_tokens: limit.maybe((one) => one.integer()),
        reasoning_effort: at('reasoning_effort').maybe((one) => one.word(...efforts)),
        verbosity: at('verbosity').maybe((one) => one.word(...verbosities)),
        temperature: at('temperature').maybe((one) => one.number()),
        top_p: at('top_p').maybe((one) => one.number()),
        stop: unlessEmpty(at('stop').maybe(stopOf)),
        seed: at('seed').maybe((one) => one.integer()),
        service_tier: at('service_tier').maybe((one) => one.text()),
        vendor: at('vendor').maybe((one) => one.plain()),
      }),
    },
  };
}

function stopOf(stop: Member): string[] {
  return typeof stop.value === 'string' ? [stop.value] : stop.items().map((one) => one.text());
}

const ofTool = names('type function');
const ofFunction = names('name description parameters strict');

function toolOf(tool: Member): NonNullable<ChatInputs['tools']>[number] {
  if (tool.at('type').text() !== 'function') tool.at('type').unsupported('must be function');
  const made = tool.only(ofTool).at('function').only(ofFunction);
  return {
    name: made.at('name').text(),
    ...given({ description: made.at('description').maybe((one) => one.text()) }),
    ...given({
      input_schema: made.at('parameters').maybe((one) => one.plain()),
      strict: made.at('strict').maybe((one) => one.flag()),
    }),
  };
}

function choiceOf(choice: Member): ChatInputs['tool_choice'] {
  if (typeof choice.value === 'string') return choice.word('none', 'auto', 'required');
  if (choice.at('type').text() !== 'function') choice.at('type').unsupported('must be function');
  return { name: choice.at('function').at('name').text() };
}

const ofSchema = names('name description schema strict');

function formatOf(format: Member): ChatInputs['response_format'] {
  const type = format.at('type').word('text', 'json_object', 'json_schema');
  if (type !== 'json_schema') return { type: type === 'json_object' ? 'json' : type };
  const schema = format.at('json_schema').only(ofSchema);
  return {
    type,
    name: schema.at('name').text(),
    schema: schema.at('schema').plain(),
    ...given({
      description: schema.at('description').maybe((one) => one.text()),
      strict: schema.at('strict').maybe((one) => one.flag()),
    }),
  };
}
