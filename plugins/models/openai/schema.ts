import { exactly, optional, type JsonSchema } from '../../../kernel/index.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });

/** Schema of the member that names the run of an answer. */
export const orbSchema = {
  ...exactly('ModelRun', {
    run_id: text('Id of the run'),
    receipt_id: text('Id of its receipt'),
    usage: optional({ const: 'absent', description: 'The provider reported no usage, so the counts are not known' }),
    cost: optional({
      ...exactly({ currency: text('ISO 4217'), amount_nanos: count('10⁻⁹ of a unit of the currency') }),
      description: 'By the prices of the operator; absent where it is not known',
    }),
    opening: optional({
      type: 'object',
      additionalProperties: true,
      description: 'Salts, if the caller asked for them',
    }),
  }),
  description: 'The run and its receipt',
} as const;

// The door reads the body itself, and answers what is wrong in the words of its API.
/** Describes the body of `POST /v1/chat/completions`. */
export const completionBody = {
  title: 'ChatCompletionRequest',
  description: 'A request of the OpenAI API for a chat completion',
  properties: {
    model: { description: 'Alias of a model: see `GET /v1/models`' },
    messages: { description: 'The conversation: roles `system`, `developer`, `user`, `assistant` and `tool`' },
    tools: { description: 'Functions that the model may call' },
    tool_choice: { description: '`auto`, `none`, `required`, or one function' },
    parallel_tool_calls: { description: 'Whether the model may call several functions at once' },
    response_format: { description: '`text`, `json_object`, or `json_schema`' },
    max_completion_tokens: { description: 'Most tokens of the answer; also as `max_tokens`' },
    reasoning_effort: { description: '`none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`' },
    verbosity: { description: '`low`, `medium`, `high`' },
    temperature: { description: '0 to 2' },
    top_p: { description: '0 to 1' },
    stop: { description: 'A text, or at most four' },
    seed: { description: 'For answers that can be repeated, where the model supports it' },
    service_tier: { description: 'Of the vendor' },
    stream: { description: 'Whether the answer is a stream of server-sent events' },
    stream_options: { description: '`include_usage`: the stream ends with a chunk of the usage' },
    n: { description: '1' },
    vendor: { description: 'Settings of one vendor, which its provider must list' },
  },
} as const;

/** Schema of the answer of `POST /v1/chat/completions`. */
export const completionSchema = exactly('ChatCompletion', {
  id: text('Id of the answer'),
  object: { const: 'chat.completion', description: 'The form' },
  created: count('Seconds since the Unix epoch'),
  model: text('The model that answered'),
  choices: {
    type: 'array',
    description: 'One answer',
    items: { type: 'object', additionalProperties: true, description: 'The message, and why the model ended' },
  },
  usage: optional({
    ...exactly({
      prompt_tokens: count('Tokens of the request, cached ones included'),
      completion_tokens: count('Tokens of the answer, those of reasoning included'),
      total_tokens: count('The sum'),
      prompt_tokens_details: optional({ type: 'object', additionalProperties: true, description: 'Cached tokens' }),
      completion_tokens_details: optional({ type: 'object', additionalProperties: true, description: 'Reasoning' }),
    }),
    description: 'What the provider reported; absent if it did not',
  }),
  service_tier: optional(text('Of the vendor')),
  orb: orbSchema,
});

/** Describes the body of `POST /v1/embeddings`. */
export const embeddingBody = {
  title: 'EmbeddingRequest',
  description: 'A request of the OpenAI API for embeddings',
  properties: {
    model: { description: 'Alias of a model' },
    input: { description: 'A text, texts, or the tokens of one text or several' },
    dimensions: { description: 'Length of the vectors' },
    encoding_format: { description: '`float`, or `base64` of little-endian float32' },
    user: { description: 'Ignored' },
  },
} as const;

/** Schema of the answer of `POST /v1/embeddings`. */
export const embeddingSchema = exactly('Embeddings', {
  object: { const: 'list', description: 'The form' },
  data: {
    type: 'array',
    description: 'One vector for each input',
    items: exactly({
      object: { const: 'embedding', description: 'The form' },
      index: count('Number of the input, from 0'),
      embedding: { description: 'Numbers, or base64' },
    }),
  },
  model: text('The model that answered'),
  usage: optional({
    ...exactly({ prompt_tokens: count('Tokens of the inputs'), total_tokens: count('The same') }),
    description: 'What the provider reported; absent if it did not',
  }),
  orb: orbSchema,
});
