import { PlatformError } from '../../error.ts';

const MiB = 1024 * 1024;

/** Most bytes of bodies that are being read: of one caller, of all with a key, and of all without. */
const mostOfCaller = 32 * MiB;
const mostOf = { keyed: 256 * MiB, open: 128 * MiB } as const;

/** Bounds the memory that bodies take while they arrive, which a client can make last for a minute. */
export class BodyRoom {
  readonly #taken = { keyed: 0, open: 0 };
  readonly #ofCaller = new Map<string, number>();

  /**
   * Reserves memory for a body; the function that is returned frees it. Throws 503 `overloaded` when the caller, or all
   * together, have too much. `open`: the caller has no key.
   */
  take(caller: string, bytes: number, { open }: { readonly open: boolean }): () => void {
    const pool = open ? 'open' : 'keyed';
    const own = this.#ofCaller.get(caller) ?? 0;
    if (own + bytes > mostOfCaller || this.#taken[pool] + bytes > mostOf[pool])
      throw new PlatformError(
        'overloaded',
        'the server is reading too many large bodies; send the request again later',
        {
          retry_after: 1,
        },
      );
    this.#taken[pool] += bytes;
    this.#ofCaller.set(caller, own + bytes);
    return () => {
      this.#taken[pool] -= bytes;
      const left = (this.#ofCaller.get(caller) ?? bytes) - bytes;
      if (left <= 0) this.#ofCaller.delete(caller);
      else this.#ofCaller.set(caller, left);
    };
  }
}
