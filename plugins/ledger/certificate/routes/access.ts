import type { Principal } from '../../../../kernel/index.ts';

/** The caller; without `principal` when the request has no key. */
export interface Caller {
  readonly principal?: Principal | undefined;
}

/** Says whether the caller may see an Orb's reputation: anyone for a published Orb, otherwise callers with a key. */
export type MaySee = (orbId: string, caller: Caller) => boolean;

/** Headers of an answer that any web page may read: cached for `seconds` (0: not), and never when a key was used. */
export function openHeaders(seconds: number, { principal }: Caller): Readonly<Record<string, string>> {
  const kept = seconds > 0 && principal === undefined;
  return {
    'Cache-Control': kept ? `public, max-age=${seconds}` : 'no-store',
    Vary: 'Authorization',
    'Access-Control-Allow-Origin': '*',
  };
}
