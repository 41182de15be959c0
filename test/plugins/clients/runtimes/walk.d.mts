import type { Client } from '../built.ts';

/** The same walk on every runtime. */
export declare function walk(
  client: Client,
  given: { readonly url: string; readonly key: string; readonly sub: string },
): Promise<string[]>;

/** What the walk answers. */
export declare const answers: readonly string[];
