import { exactly, optional, type Infer } from '../../../kernel/adapter.ts';
import { reasoning, toolCall } from './inputs.ts';

const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const word = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const;

/** The schema of what a vendor counted. Input contains what a cache read and wrote, output contains reasoning. */
export const usage = exactly({
  input_tokens: optional(count),
  cache_read_tokens: optional(count),
  cache_write_tokens: optional({ type: 'object', maxProperties: 8, additionalProperties: count }),
  output_tokens: optional(count),
  reasoning_tokens: optional(count),
  source: { enum: ['vendor', 'partial', 'absent'] },
});

const answer = {
  model: { ...word(512), description: 'The model that answered, as the vendor names it' },
  sent_model: optional({ ...word(512), description: 'The model that the vendor was asked for' }),
  usage,
  provider_response_id: optional(word(512)),
  service_tier: optional(word(64)),
} as const;

/** Why an answer ended. */
export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'refusal'] as const;

/** The schema of the outputs of `llm.chat`. */
export const chatOutputs = exactly({
  ...answer,
  content: { type: 'string' },
  reasoning: optional(reasoning),
  refusal: optional({ type: 'string' }),
  tool_calls: { type: 'array', items: toolCall },
  finish_reason: { enum: finishReasons },
});

/** The schema of the outputs of `llm.embed`; base64 holds little-endian float32. */
export const embedOutputs = exactly({
  ...answer,
  embeddings: {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
  },
});

/** The schema of the outputs of `llm.count`: what the vendor counted. */
export const countOutputs = exactly({
  model: { ...word(512), description: 'The model whose tokens they are, as the vendor names it' },
  input_tokens: count,
});

/** Counts of a vendor; what it did not tell is absent. */
export type Usage = Infer<typeof usage>;

/** Why an answer ended. */
export type FinishReason = (typeof finishReasons)[number];

/** Outputs of `llm.chat`. */
export type ChatOutputs = Infer<typeof chatOutputs>;

/** Outputs of `llm.count`. */
export type CountOutputs = Infer<typeof countOutputs>;

/** Outputs of `llm.embed`. */
export type EmbedOutputs = Infer<typeof embedOutputs>;
