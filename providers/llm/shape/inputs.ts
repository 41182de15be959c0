import { exactly, optional, type Infer } from '../../../kernel/adapter.ts';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const;
const anyText = { type: 'string' } as const;
const kind = <const T extends string>(type: T) => ({ const: type }) as const;

/** The name by which a caller asks for a model. */
export const modelName = { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' } as const;

// What only the vendor that made it can read; it goes back to that vendor alone.
const opaque = exactly({ adapter: text(128), data: { type: 'string', maxLength: 8_000_000 } });

/** The schema of what a model thought before its answer. */
export const reasoning = exactly({ text: optional(anyText), opaque: optional(opaque) });

const mediaType = { type: 'string', maxLength: 127, pattern: '^[a-z0-9.+-]+/[a-z0-9.+-]+$' } as const;
const format = { type: 'string', minLength: 1, maxLength: 16, pattern: '^[a-z0-9]+$' } as const;

const part = {
  oneOf: [
    exactly({ type: kind('text'), text: anyText }),
    {
      ...exactly({
        type: kind('image'),
        media_type: optional(mediaType),
        data_base64: optional(anyText),
        url: optional({ type: 'string', maxLength: 8192, pattern: '^https?://' }),
        detail: optional({ enum: ['auto', 'low', 'high', 'original'] }),
      }),
      oneOf: [{ required: ['media_type', 'data_base64'] }, { required: ['url'] }],
    },
    exactly({ type: kind('document'), media_type: mediaType, data_base64: anyText, name: optional(text(255)) }),
    exactly({ type: kind('audio'), format, data_base64: anyText }),
    exactly({ type: kind('refusal'), text: anyText }),
    exactly({ type: kind('reasoning'), text: optional(anyText), opaque: optional(opaque) }),
  ],
} as const;

/** The schema of a call of a tool; the arguments are the text of the model, JSON or not. */
export const toolCall = exactly({ id: text(256), name: text(256), arguments_text: anyText });

const message = exactly({
  role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
  content: { anyOf: [anyText, { type: 'array', maxItems: 2000, items: part }] },
  tool_calls: optional({ type: 'array', minItems: 1, maxItems: 128, items: toolCall }),
  tool_call_id: optional(text(256)),
  is_error: optional({ type: 'boolean' }),
});

const jsonSchema = { type: 'object', additionalProperties: true } as const;
const toolName = { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' } as const;

const responseFormat = {
  oneOf: [
    exactly({ type: { enum: ['text', 'json'] } }),
    exactly({
      type: kind('json_schema'),
      name: toolName,
      description: optional({ type: 'string', maxLength: 10_000 }),
      schema: jsonSchema,
      strict: optional({ type: 'boolean' }),
    }),
  ],
} as const;

const tool = exactly({
  name: toolName,
  description: optional({ type: 'string', maxLength: 100_000 }),
  input_schema: optional(jsonSchema),
  strict: optional({ type: 'boolean' }),
});

// Parameters by their name at the vendor; a provider passes only those that its configuration lists.
const vendor = { type: 'object', maxProperties: 64, additionalProperties: true } as const;

/** The schema of the inputs of `llm.chat`. */
export const chatInputs = exactly({
  model: modelName,
  messages: { type: 'array', minItems: 1, maxItems: 2000, items: message },
  tools: optional({ type: 'array', minItems: 1, maxItems: 128, items: tool }),
  tool_choice: optional({ anyOf: [{ enum: ['auto', 'none', 'required'] }, exactly({ name: toolName })] }),
  parallel_tool_calls: optional({ type: 'boolean' }),
  max_output_tokens: optional({ type: 'integer', minimum: 1, maximum: 100_000_000 }),
  temperature: optional({ type: 'number', minimum: 0, maximum: 2 }),
  top_p: optional({ type: 'number', minimum: 0, maximum: 1 }),
  stop: optional({ type: 'array', minItems: 1, maxItems: 4, items: text(1024) }),
  seed: optional({ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }),
  response_format: optional(responseFormat),
  reasoning_effort: optional({ enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] }),
  verbosity: optional({ enum: ['low', 'medium', 'high'] }),
  service_tier: optional({ type: 'string', pattern: '^[a-z_]{1,32}$' }),
  vendor: optional(vendor),
});

const { messages, parallel_tool_calls, reasoning_effort, response_format, tool_choice, tools } = chatInputs.properties;

/**
 * The schema of the inputs of `llm.count`. The conversation has a member of its own: an adapter that does not know the Orb
 * must not take it for a chat, which costs something.
 */
export const countInputs = exactly({
  model: modelName,
  prompt: exactly({ messages, tools, tool_choice, parallel_tool_calls, response_format, reasoning_effort }),
});

const tokens = { type: 'array', minItems: 1, maxItems: 100_000, items: { type: 'integer', minimum: 0 } } as const;

/** The schema of the inputs of `llm.embed`. */
export const embedInputs = exactly({
  model: modelName,
  input: {
    anyOf: [
      text(8_000_000),
      { type: 'array', minItems: 1, maxItems: 2048, items: text(8_000_000) },
      tokens,
      { type: 'array', minItems: 1, maxItems: 2048, items: tokens },
    ],
  },
  encoding_format: optional({ enum: ['float', 'base64'] }),
  dimensions: optional({ type: 'integer', minimum: 1, maximum: 65_536 }),
  vendor: optional(vendor),
});

/** Inputs of `llm.chat`. */
export type ChatInputs = Infer<typeof chatInputs>;

/** One message of a conversation. */
export type ChatMessage = ChatInputs['messages'][number];

/** One part of the content of a message. */
export type ContentPart = Exclude<ChatMessage['content'], string>[number];

/** Inputs of `llm.count`. */
export type CountInputs = Infer<typeof countInputs>;

/** Inputs of `llm.embed`. */
export type EmbedInputs = Infer<typeof embedInputs>;
