/** How the API of one host differs from OpenAI's. */
export interface Dialect {
  readonly title: string;
  /** Base URL; undefined: the configuration must have one. */
  readonly base_url?: string;
  /** How the key goes along. */
  readonly auth: 'bearer' | 'api-key';
  readonly max_tokens_field: 'max_completion_tokens' | 'max_tokens';
  /** Whether a stream tells its usage: only when asked, or by itself. */
  readonly usage: 'ask' | 'unasked' | 'continuous';
  readonly seed_field: 'seed' | 'random_seed';
  /** The word for: some tool must be called. */
  readonly required_word: 'required' | 'any';
  readonly json_schema: boolean;
  /** Has the role `developer`; else it is `system`. */
  readonly developer_role: boolean;
  /** Fetches images by their URL. */
  readonly image_url: boolean;
  /** Encodes embeddings in base64 when asked. */
  readonly embeds_base64: boolean;
  readonly unsupported: readonly string[];
  /** Statuses that mean `try later`. */
  readonly busy: readonly number[];
}

const openai = {
  title: 'OpenAI',
  base_url: 'https://api.openai.com/v1',
  auth: 'bearer',
  max_tokens_field: 'max_completion_tokens',
  usage: 'ask',
  seed_field: 'seed',
  required_word: 'required',
  json_schema: true,
  developer_role: true,
  image_url: true,
  embeds_base64: true,
  unsupported: [],
  busy: [],
} as const satisfies Dialect;

const common = {
  ...openai,
  max_tokens_field: 'max_tokens',
  developer_role: false,
  embeds_base64: false,
  unsupported: ['verbosity'],
} as const satisfies Dialect;

// What a model runner on one's own machine has.
const { base_url: _, ...runner } = { ...common, unsupported: ['verbosity', 'service_tier'] };

/** The dialects by their name in a configuration. */
export const dialects = {
  openai,
  azure: { ...withoutBase(openai), title: 'Azure OpenAI', auth: 'api-key' },
  mistral: {
    ...common,
    title: 'Mistral',
    base_url: 'https://api.mistral.ai/v1',
    usage: 'unasked',
    seed_field: 'random_seed',
    required_word: 'any',
    unsupported: ['verbosity', 'service_tier'],
  },
  groq: { ...common, title: 'Groq', base_url: 'https://api.groq.com/openai/v1' },
  deepseek: {
    ...common,
    title: 'DeepSeek',
    base_url: 'https://api.deepseek.com',
    json_schema: false,
    image_url: false,
    unsupported: ['verbosity', 'service_tier', 'seed'],
  },
  openrouter: { ...common, title: 'OpenRouter', base_url: 'https://openrouter.ai/api/v1' },
  vllm: { ...runner, title: 'vLLM', usage: 'continuous', embeds_base64: true },
  'llama.cpp': { ...runner, title: 'llama.cpp', embeds_base64: true },
  ollama: {
    ...runner,
    title: 'Ollama',
    image_url: false,
    unsupported: ['verbosity', 'service_tier', 'tool_choice', 'parallel_tool_calls'],
    busy: [503],
  },
} as const satisfies Readonly<Record<string, Dialect>>;

/** Name of a dialect. */
export type DialectName = keyof typeof dialects;

function withoutBase({ base_url: _base, ...rest }: typeof openai): Omit<typeof openai, 'base_url'> {
  return rest;
}
