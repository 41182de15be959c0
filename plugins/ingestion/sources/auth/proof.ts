import type { AuthStrength } from '../../signals/words.ts';
import type { AuthSettings } from '../settings/schema.ts';

/** Methods with which a hook can be called. */
export type HookMethod = 'POST' | 'PUT' | 'GET';

/** One request at a hook, its body as received. */
export interface Arrival {
  readonly method: HookMethod;
  /** First value of each, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded; the first value of each name. */
  readonly query: Readonly<Record<string, string>>;
  readonly raw: Uint8Array;
  /** The address that was called, by the public URL of the server, for signatures that cover it; absent in tests. */
  readonly url?: string;
}

/** One of the 1–3 active secrets. */
export interface Secret {
  readonly version: number;
  readonly text: string;
}

/** The result of a valid proof. */
export interface Proof {
  readonly strength: AuthStrength;
  /** `pagerduty.v1`, `header`, … */
  readonly scheme: string;
  readonly secret_version?: number;
  readonly clock_skew_ms?: number;
}

/** Verifies and creates one kind of signature. */
export interface Signature {
  /** Returns the proof, or undefined. Takes the same time for any wrong signature. */
  verify(arrival: Arrival, secrets: readonly Secret[], settings: AuthSettings, nowMs: number): Proof | undefined;
  /** Says what is wrong with an arrival that `verify` refused, without any secret; absent: a general sentence says it. */
  fault?(arrival: Arrival, settings: AuthSettings, nowMs: number): string;
  /** Makes the headers that sign a body, for test deliveries; undefined when the secret can only verify. */
  sign(body: Uint8Array, secret: string, settings: AuthSettings, nowMs: number): Record<string, string> | undefined;
}

/** What may verify signatures: a vendor. */
export type Signing = { readonly signature?: Signature };
