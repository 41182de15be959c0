import { exactly, type JsonSchema } from '../../../kernel/index.ts';
import { orbSchema } from '../openai/schema.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

const conversation = {
  model: { description: 'Alias of a model: see `GET /v1/models`' },
  messages: { description: 'The conversation: roles `user` and `assistant`' },
  system: { description: 'System prompt: a text, or blocks of text' },
  tools: { description: 'Tools that the model may call; not those that the vendor runs' },
  tool_choice: { description: '`auto`, `any`, `none`, or one tool' },
  thinking: {
    description: '`disabled`, `adaptive`, or `enabled` with `budget_tokens`, which becomes a level of effort',
  },
  output_config: { description: '`effort`, and `format` with a JSON schema' },
} as const;

/** Describes the body of `POST /v1/messages`. */
export const messagesBody = {
  title: 'MessagesRequest',
  description: 'A request of the Anthropic API for a message',
  properties: {
    ...conversation,
    max_tokens: { description: 'Most tokens of the answer' },
    stop_sequences: { description: 'At most four texts that end the answer' },
    temperature: { description: '0 to 1' },
    top_p: { description: '0 to 1' },
    service_tier: { description: 'Of the vendor' },
    stream: { description: 'Whether the answer is a stream of server-sent events' },
    metadata: { description: 'Ignored' },
    vendor: { description: 'Settings of one vendor, which its provider must list' },
  },
} as const;

/** Describes the body of `POST /v1/messages/count_tokens`. */
export const countBody = {
  title: 'CountTokensRequest',
  description: 'A request of the Anthropic API to count the tokens of a conversation',
  properties: conversation,
} as const;

/** Schema of the answer of `POST /v1/messages`. */
export const messageSchema = exactly('ModelMessage', {
  id: text('Id of the message'),
  type: { const: 'message', description: 'The form' },
  role: { const: 'assistant', description: 'The model' },
  model: text('The model that answered'),
  content: {
    type: 'array',
    description: 'Blocks of text, thinking and calls of tools',
    items: { type: 'object', additionalProperties: true, description: 'A block' },
  },
  stop_reason: text('Why the model ended'),
  stop_sequence: {
    type: ['string', 'null'],
    description: 'Always null: the gateway does not tell which text ended the answer',
  },
  usage: {
    type: 'object',
    additionalProperties: true,
    description: 'What the provider reported: `input_tokens` without cached ones, `output_tokens`, and the cache',
  },
  orb: orbSchema,
});

/** Schema of the answer of `POST /v1/messages/count_tokens`. */
export const countSchema = exactly('TokenCount', {
  input_tokens: { type: 'integer', minimum: 0, description: 'What the provider counted' },
  orb: orbSchema,
});
