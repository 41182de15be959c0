import type { Principal } from '../../../../kernel/index.ts';

/** Who calls; nobody without a key. */
export interface Caller {
  readonly principal?: Principal | undefined;
}

/** Says whether whoever calls may see the reputation of an Orb: of a published one everybody, of others with a key. */
export type MaySee = (orbId: string, caller: Caller) => boolean;

/** Headers of an answer that any page may read: kept for `seconds` (0: not at all), and never what a key has opened. */
export function openHeaders(seconds: number, { principal }: Caller): Readonly<Record<string, string>> {
  const kept = seconds > 0 && principal === undefined;
  return {
    'Cache-Control': kept ? `public, max-age=${seconds}` : 'no-store',
    Vary: 'Authorization',
    'Access-Control-Allow-Origin': '*',
  };
}
