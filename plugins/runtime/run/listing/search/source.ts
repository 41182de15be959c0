import type { Principal } from '../../../../../kernel/index.ts';
import type { MaybePromise } from '../../../../../kernel/runner.ts';

/** A thing that people look for by its id or its name. */
export interface Named {
  readonly id: string;
  readonly name?: string | undefined;
}

/** The things of one kind that `GET /search` finds. */
export interface SearchSource {
  /** `orb`, `key`: one word of the answer. */
  readonly kind: string;
  /** The scope that a key needs to find them. */
  readonly scope: string;
  /** Lists those that the caller may see, at most some thousand, from memory or by one read. */
  readonly list: (caller: Principal) => MaybePromise<Iterable<Named>>;
}
