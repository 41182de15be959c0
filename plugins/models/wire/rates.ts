import { timestamp } from '../../../kernel/index.ts';

/** What is left of a limit. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until it is whole again. */
  readonly reset_s: number;
}

type Headers = Readonly<Record<string, string>>;

/** The APIs whose headers name rates. */
export type RateForm = 'openai' | 'anthropic';

/** Writes what is left of a limit in the headers of an API. */
export function rateHeaders(form: RateForm, what: 'requests' | 'tokens', rate: Rate, now = Date.now()): Headers {
  const { limit, remaining, reset_s } = rate;
  const told = { limit: String(limit), remaining: String(remaining) };
  const reset = form === 'openai' ? spanOf(reset_s) : timestamp(now + reset_s * 1000).replace(/\.\d+/, '');
  const nameOf = (name: string): string =>
    form === 'openai' ? `x-ratelimit-${name}-${what}` : `anthropic-ratelimit-${what}-${name}`;
  return Object.fromEntries(Object.entries({ ...told, reset }).map(([name, text]) => [nameOf(name), text]));
}

/** Reads the tightest limit of requests from the headers of the platform; undefined: none is configured. */
export function requestRate(headers: Headers): Rate | undefined {
  const limits = new Map(itemsOf(headers['RateLimit-Policy'], /^"(.+)";q=(\d+)/).map(([name, limit]) => [name, limit]));
  const rates = itemsOf(headers['RateLimit'], /^"(.+)";r=(\d+);t=(\d+)/).map(([name, remaining, reset_s]) => ({
    ...{ limit: limits.get(name) ?? remaining, remaining, reset_s },
  }));
  return rates.sort((one, other) => one.remaining - other.remaining || other.reset_s - one.reset_s)[0];
}

type Item = readonly [name: string, first: number, second: number];

function itemsOf(list: string | undefined, item: RegExp): readonly Item[] {
  return (list ?? '').split(', ').flatMap((text): Item[] => {
    const [, name, first, second = 0] = item.exec(text) ?? [];
    return name === undefined ? [] : [[name, Number(first), Number(second)]];
  });
}

// As OpenAI writes a length of time.
function spanOf(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
