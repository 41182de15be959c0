import type { Fixture, Snippet } from './vendor.ts';

/** Makes a test delivery or an example of JSON, before it is signed. */
export function jsonFixture(body: unknown, headers: Fixture['headers'] = {}): Fixture {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Makes one text of a vendor's configuration, to be pasted. */
export function snippet(title: string, text: string, language = 'text'): Snippet {
  return { title, language, text };
}

/** Of what a vendor tells beside its alerts: it opens nothing. */
export const quiet = { type: 'orb.signal.change', state: 'info', severity: 'info' } as const;

/** Of an event that is counted, and opens nothing. */
export const counted = { ...quiet, type: 'orb.signal.analytics' } as const;
