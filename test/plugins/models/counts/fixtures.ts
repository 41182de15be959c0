/** What the counts of a call mean. */
export interface Expected {
  readonly input_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: Readonly<Record<string, number>>;
  readonly output_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly source: 'vendor' | 'absent';
}

/** What a vendor reports, in its own form, and what that means. */
export interface Fixture {
  readonly name: string;
  readonly vendor: 'openai' | 'anthropic';
  /** All counts, as the document has them. */
  readonly usage?: object;
  /** Those of them that a stream tells at its start; the rest comes at its end. */
  readonly first?: object;
  /** A member of the chunk other than `usage` has them, or the last chunk of the choice has. */
  readonly place?: 'x_groq' | 'choice' | 'each';
  readonly tools?: true;
  readonly expected: Expected;
}

/** What vendors report. */
export const fixtures: readonly Fixture[] = [
  {
    ...{ name: 'plain', vendor: 'openai', usage: { prompt_tokens: 19, completion_tokens: 7, total_tokens: 26 } },
    expected: { input_tokens: 19, output_tokens: 7, source: 'vendor' },
  },
  {
    ...{ name: 'cached-reasoning', vendor: 'openai' },
    usage: {
      ...{ prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306 },
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 192, accepted_prediction_tokens: 0 },
    },
    expected: {
      input_tokens: 2006,
      cache_read_tokens: 1920,
      output_tokens: 300,
      reasoning_tokens: 192,
      source: 'vendor',
    },
  },
  {
    ...{ name: 'cache-written', vendor: 'openai', tools: true },
    usage: {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 64 },
    },
    expected: {
      ...{ input_tokens: 100, cache_read_tokens: 0, cache_write_tokens: { default: 64 }, output_tokens: 5 },
      source: 'vendor',
    },
  },
  {
    ...{
      name: 'hit',
      vendor: 'openai',
      usage: { prompt_tokens: 50, completion_tokens: 2, prompt_cache_hit_tokens: 48 },
    },
    expected: { input_tokens: 50, cache_read_tokens: 48, output_tokens: 2, source: 'vendor' },
  },
  ...(['x_groq', 'choice', 'each'] as const).map((place): Fixture => ({
    ...{ name: `at-${place}`, vendor: 'openai', place, usage: { prompt_tokens: 11, completion_tokens: 3 } },
    expected: { input_tokens: 11, output_tokens: 3, source: 'vendor' },
  })),
  {
    ...{ name: 'zero', vendor: 'openai' },
    usage: { prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
    expected: { input_tokens: 0, cache_read_tokens: 0, output_tokens: 0, source: 'vendor' },
  },
  { name: 'absent', vendor: 'openai', expected: { source: 'absent' } },
  {
    ...{ name: 'half', vendor: 'openai', usage: { prompt_tokens: 8, completion_tokens: null } },
    expected: { input_tokens: 8, source: 'vendor' },
  },
  {
    ...{ name: 'plain', vendor: 'anthropic', usage: { input_tokens: 19, output_tokens: 7 } },
    ...{
      first: { input_tokens: 19, output_tokens: 1 },
      expected: { input_tokens: 19, output_tokens: 7, source: 'vendor' },
    },
  },
  {
    ...{ name: 'all', vendor: 'anthropic', tools: true },
    usage: {
      ...{ input_tokens: 10, cache_creation_input_tokens: 300, cache_read_input_tokens: 6000, output_tokens: 120 },
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens_details: { thinking_tokens: 50 },
    },
    first: {
      ...{ input_tokens: 10, cache_creation_input_tokens: 300, cache_read_input_tokens: 6000, output_tokens: 1 },
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
    },
    expected: {
      ...{ input_tokens: 6310, cache_read_tokens: 6000, cache_write_tokens: { '5m': 200, '1h': 100 } },
      ...{ output_tokens: 120, reasoning_tokens: 50, source: 'vendor' },
    },
  },
  {
    ...{ name: 'hour-only', vendor: 'anthropic' },
    usage: {
      ...{ input_tokens: 3, cache_creation_input_tokens: 40, cache_read_input_tokens: 0, output_tokens: 4 },
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 40 },
    },
    expected: {
      ...{ input_tokens: 43, cache_read_tokens: 0, cache_write_tokens: { '5m': 0, '1h': 40 }, output_tokens: 4 },
      source: 'vendor',
    },
  },
  {
    ...{
      name: 'old',
      vendor: 'anthropic',
      usage: { input_tokens: 3, cache_creation_input_tokens: 40, output_tokens: 4 },
    },
    expected: { input_tokens: 43, cache_write_tokens: { default: 40 }, output_tokens: 4, source: 'vendor' },
  },
  {
    ...{ name: 'zero', vendor: 'anthropic' },
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    expected: {
      ...{
        input_tokens: 0,
        cache_read_tokens: 0,
        cache_write_tokens: { default: 0 },
        output_tokens: 0,
        source: 'vendor',
      },
    },
  },
  { name: 'absent', vendor: 'anthropic', expected: { source: 'absent' } },
];
