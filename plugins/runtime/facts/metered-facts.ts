/** What a metered run adds to the facts of its receipt; what is not known is absent, never guessed. */
export interface MeteredFacts {
  /** As the vendor counts; `partial`: the last count before a cut. Input and output hold their parts. */
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly cache_read_tokens?: number;
    /** By the time to live of the cache. */
    readonly cache_write_tokens?: readonly { readonly ttl: string; readonly tokens: number }[];
    readonly reasoning_tokens?: number;
    readonly source: 'vendor' | 'partial' | 'absent';
  };
  /** 10⁻⁹ of a unit of the currency (ISO 4217). */
  readonly cost?: { readonly amount_nanos: number; readonly currency: string };
  /** Digest of the list of prices by which the cost was computed. */
  readonly prices_digest?: string;
  /** Names of the model: in the call, at the provider, and in its answer. */
  readonly model?: { readonly asked: string; readonly sent?: string; readonly answered?: string };
}
