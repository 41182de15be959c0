import type { Pool } from 'undici';
import { now, type Beat } from './full-beat.ts';
import type { Target } from './server.ts';

/** An answer, when it was asked for, and how long it took. */
export interface Got extends Beat {
  readonly text: string;
}

/** Makes the function that reads a path of a server; throws for every status but 200. */
export function getter({ key }: Target, pool: Pool): (path: string) => Promise<Got> {
  const headers = { authorization: `Bearer ${key}` };
  return async (path) => {
    const at = now();
    const answer = await pool.request({ method: 'GET', path, headers });
    const text = await answer.body.text();
    const took = now() - at;
    if (answer.statusCode !== 200) throw new Error(`GET ${path} was answered ${answer.statusCode}: ${text}`);
    return { at, took, text };
  };
}
