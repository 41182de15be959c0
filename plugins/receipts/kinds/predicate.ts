/** The predicate of any kind but the run: the common head, when it happened, and its facts. */
export interface OtherPredicate {
  readonly receipt_id: string;
  readonly tenant?: string;
  readonly log: { readonly origin: string };
  readonly issuer: { readonly kid: string; readonly version: string; readonly installation: string };
  readonly non_claims: readonly string[];
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The statement of any kind but the run. */
export interface OtherStatement {
  readonly _type: string;
  readonly predicateType: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicate: OtherPredicate;
}
