import { until } from './until.ts';

/** Sends a request again, after a rest, while its sender is held up for asking too much in a second. */
export function letThrough<A extends { readonly status: number }>(send: () => Promise<A>): Promise<A> {
  return until(send, ({ status }) => status !== 429, 'an answer', 100);
}
