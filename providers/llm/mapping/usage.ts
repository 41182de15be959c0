import { member } from '../../vendor/http/json.ts';
import type { Usage } from '../shape/outputs.ts';

type Path = readonly string[];

// Where a vendor's answer has each count. Totals add up: the first path must be there, the others count as zero.
interface Conversion {
  readonly input: readonly [Path, ...Path[]];
  readonly output: readonly [Path, ...Path[]];
  /** The first that is there. */
  readonly cache_read: readonly Path[];
  readonly reasoning: readonly Path[];
  /** By the time to live that the vendor names. */
  readonly cache_write: Readonly<Record<string, Path>>;
  /** Used when no time to live is told. */
  readonly cache_write_total: Path;
}

// OpenAI counts cached tokens as part of the input, Anthropic beside it.
const conversions = {
  openai: {
    input: [['prompt_tokens']],
    output: [['completion_tokens']],
    cache_read: [['prompt_tokens_details', 'cached_tokens'], ['prompt_cache_hit_tokens']],
    reasoning: [['completion_tokens_details', 'reasoning_tokens']],
    cache_write: {},
    cache_write_total: ['prompt_tokens_details', 'cache_write_tokens'],
  },
  anthropic: {
    input: [['input_tokens'], ['cache_creation_input_tokens'], ['cache_read_input_tokens']],
    output: [['output_tokens']],
    cache_read: [['cache_read_input_tokens']],
    reasoning: [['output_tokens_details', 'thinking_tokens']],
    cache_write: {
      '5m': ['cache_creation', 'ephemeral_5m_input_tokens'],
      '1h': ['cache_creation', 'ephemeral_1h_input_tokens'],
    },
    cache_write_total: ['cache_creation_input_tokens'],
  },
} as const satisfies Readonly<Record<string, Conversion>>;

/** Whose way of counting an answer has. */
export type Counting = keyof typeof conversions;

/** Reads what a vendor counted. A zero is a count; what is not told, or is no count, is absent. */
export function usageOf(counting: Counting, told: unknown, source: 'vendor' | 'partial'): Usage {
  const { input, output, cache_read, reasoning, cache_write, cache_write_total }: Conversion = conversions[counting];
  const byTtl = Object.entries(cache_write).flatMap(([ttl, path]) => namedCount(ttl, at(told, path)));
  const written = byTtl.length > 0 ? byTtl : namedCount('default', at(told, cache_write_total));
  const counts = [
    ...namedCount('input_tokens', total(told, input)),
    ...namedCount('cache_read_tokens', first(told, cache_read)),
    ...namedCount('output_tokens', total(told, output)),
    ...namedCount('reasoning_tokens', first(told, reasoning)),
  ];
  if (counts.length === 0) return { source: 'absent' };
  const cacheWrite = written.length === 0 ? {} : { cache_write_tokens: Object.fromEntries(written) };
  return { ...Object.fromEntries(counts), ...cacheWrite, source };
}

/** Joins what a vendor tells in several events: of each count the last one that is not null. */
export function mergedCounts(before: unknown, told: unknown): unknown {
  if (typeof told !== 'object' || told === null) return before;
  const news = Object.entries(told).filter(([, value]) => value !== null && value !== undefined);
  return { ...(typeof before === 'object' ? before : undefined), ...Object.fromEntries(news) };
}

function namedCount(name: string, count: number | undefined): [string, number][] {
  return count === undefined ? [] : [[name, count]];
}

function first(told: unknown, paths: readonly Path[]): number | undefined {
  return paths.map((path) => at(told, path)).find((count) => count !== undefined);
}

function total(told: unknown, [must, ...more]: readonly [Path, ...Path[]]): number | undefined {
  const base = at(told, must);
  if (base === undefined) return undefined;
  return countOf(more.reduce((sum, path) => sum + (at(told, path) ?? 0), base));
}

function at(told: unknown, path: Path): number | undefined {
  return countOf(path.reduce(member, told));
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
