import { exactly, optional, type Infer } from '../../../kernel/index.ts';

const text = { type: 'string', maxLength: 1000 } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Schema of what policies see of a call of a model, in addition to its run. */
export const llm = exactly({
  door: { ...text, description: 'The API that the caller used: `openai/chat`, …; `execute`: a run as any other' },
  alias: { ...text, description: 'The model that the caller names' },
  candidates: {
    type: 'array',
    description: 'All providers that may be asked, in order, with the model that each asks its vendor for',
    items: exactly({ provider: text, model: text }),
  },
  stream: { type: 'boolean', description: 'The caller takes the answer in parts' },
  messages: { ...count, description: 'Messages, or texts to embed' },
  input_bytes: {
    ...count,
    description: 'UTF-8 bytes of all texts of the inputs, without the data of images, documents and audio',
  },
  tools: { type: 'array', items: text, description: 'Names of the tools that the model may call' },
  tool_choice: { ...text, description: '`auto`, `none`, `required`, or `tool:` and the name of the one to call' },
  max_output_tokens: optional({ ...count, description: 'As the caller asks; absent: the model decides' }),
  images: count,
  documents: count,
  audio: count,
  reasoning_effort: optional({ ...text, description: 'As the caller asks' }),
  response_format: { ...text, description: '`text`, `json` or `json_schema`' },
  findings: {
    ...exactly({
      platform_key: { ...count, description: 'Keys of this platform, by their checksum' },
      private_key: { ...count, description: 'Private keys in PEM' },
      aws_key: { ...count, description: 'Ids of access keys of AWS' },
      jwt: { ...count, description: 'JSON Web Tokens' },
      card_number: { ...count, description: 'Numbers of payment cards, by their check digit' },
    }),
    description: 'How many secrets were found in all texts of the inputs',
  },
  ask: optional({
    ...exactly({
      tokens: { ...count, description: 'Tokens of input and output together' },
      nanos: optional({ ...count, description: 'Nano-dollars; absent when a candidate has no price' }),
    }),
    description: 'The most that the call can use; absent when nothing bounds it, and without the plugin `budgets`',
  }),
});

/** What policies see of a call of a model. */
export type LlmContext = Infer<typeof llm>;

const counts = {
  spent: { ...count, description: 'What calls used, as their vendors reported it' },
  assumed: { ...count, description: 'What calls may have used whose usage is unknown' },
  reserved: { ...count, description: 'What calls under way may use at most' },
  limit: count,
} as const;

const ofKey = (per: string) => `Nano-dollars of the key in this ${per}; absent without such a budget`;

/** Schema of what policies see of the budgets that apply to a call. */
export const spend = exactly({
  day: optional({ ...exactly(counts), description: ofKey('day') }),
  month: optional({ ...exactly(counts), description: ofKey('month') }),
  budgets: {
    type: 'array',
    description: 'All budgets that apply to the call, with their present counts',
    items: exactly({
      scope: { ...text, description: '`tenant`, `principal`, `key`, `orbiset`, `provider` or `model`' },
      subject: { ...text, description: 'The id or name of what it counts for' },
      per: { ...text, description: '`minute`, `day` or `month`' },
      unit: { ...text, description: '`tokens` or `nanos`' },
      ...counts,
    }),
  },
});

/** What policies see of the budgets that apply to a call. */
export type SpendContext = Infer<typeof spend>;
