import type { Expected } from './fixtures.ts';

/** All tokens that were written to caches. */
export const written = ({ cache_write_tokens: writes }: Expected): number | undefined =>
  writes && Object.values(writes).reduce((sum, count) => sum + count, 0);
const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** What a door of OpenAI shows; undefined: no usage. */
export function chatUsage(told: Expected): object | undefined {
  const { input_tokens: input, output_tokens: output, cache_read_tokens: cached_tokens, reasoning_tokens } = told;
  if (input === undefined || output === undefined) return undefined;
  const details = present({ cached_tokens, cache_write_tokens: written(told) });
  return {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    ...(Object.keys(details).length > 0 && { prompt_tokens_details: details }),
    ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
  };
}

/** What a door of Anthropic shows: cached tokens apart. */
export function messageUsage(told: Expected): object {
  const { input_tokens = 0, output_tokens = 0, cache_read_tokens, cache_write_tokens: writes, reasoning_tokens } = told;
  return present({
    input_tokens: input_tokens - (cache_read_tokens ?? 0) - (written(told) ?? 0),
    ...{ output_tokens, cache_read_input_tokens: cache_read_tokens, cache_creation_input_tokens: written(told) },
    cache_creation: writes && {
      ephemeral_5m_input_tokens: writes['5m'] ?? 0,
      ephemeral_1h_input_tokens: writes['1h'] ?? 0,
    },
    output_tokens_details: reasoning_tokens === undefined ? undefined : { thinking_tokens: reasoning_tokens },
  });
}

/** What a receipt shows: no names that are data. */
export function receiptUsage({ cache_write_tokens: writes, ...told }: Expected): object {
  return writes === undefined
    ? told
    : {
        ...told,
        cache_write_tokens: Object.entries(writes)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([ttl, tokens]) => ({ ttl, tokens })),
      };
}
