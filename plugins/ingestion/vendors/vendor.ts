import type { AuthSettings, SourcePolicy, VendorSettings } from '../sources/schema.ts';
import type { Signal, SubjectHint } from '../signals/signal.ts';
import type { AuthStrength, VendorName } from '../signals/words.ts';

/** Methods a hook is called with. */
export type HookMethod = 'POST' | 'PUT' | 'GET';

/** One request at a hook, its body as received. */
export interface Arrival {
  readonly method: HookMethod;
  /** First value of each, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded; the first value of a name. */
  readonly query: Readonly<Record<string, string>>;
  readonly raw: Uint8Array;
}

/** One of the 1–3 active secrets. */
export interface Secret {
  readonly version: number;
  readonly text: string;
}

/** What a signature proved. */
export interface Proof {
  readonly strength: AuthStrength;
  /** `pagerduty.v1`, `header`, … */
  readonly scheme: string;
  readonly secret_version?: number;
  readonly clock_skew_ms?: number;
}

/** Verifies and makes one kind of signature. */
export interface Signature {
  /** Answers what was proved, or undefined. Takes the same time for any wrong signature. */
  verify(arrival: Arrival, secrets: readonly Secret[], settings: AuthSettings, nowMs: number): Proof | undefined;
  /** Headers that sign a body, for test deliveries; undefined when the secret can only verify. */
  sign(body: Uint8Array, secret: string, settings: AuthSettings, nowMs: number): Record<string, string> | undefined;
}

type Sure = 'type' | 'vendor_type' | 'state' | 'title' | 'episode_key';
type Told = 'vendor_event_id' | 'severity_text' | 'severity' | 'summary' | 'url' | 'value';
type Moment = 'occurred_at' | 'starts_at' | 'ends_at';

/**
 * One event before it is given its identity. Times are milliseconds since the epoch; `severity` goes before the table that
 * decides by `severity_text`, the vendor's word.
 */
export interface Draft
  extends
    Pick<Signal, Sure>,
    Partial<Pick<Signal, 'labels' | 'annotations' | 'test' | 'incomplete'>>,
    Readonly<Partial<Record<Moment, number | undefined>>>,
    Readonly<{ [K in Told]?: Signal[K] | undefined }> {
  /** Subjects named beside the labels. */
  readonly hints?: readonly Pick<SubjectHint, 'name' | 'value'>[];
  /** Outsiders can write labels and hints. */
  readonly outsider?: boolean;
  /** Of an event that the delivery's proof does not cover. */
  readonly strength?: AuthStrength;
}

/** Tells that a stored body can never be read as it is: the delivery becomes a dead letter with this reason. */
export class Undecodable extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.name = 'Undecodable';
    this.reason = reason;
  }
}

/** A test delivery or an example, before it is signed. */
export interface Fixture {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One text of a vendor's configuration, to be pasted. */
export type Snippet = Readonly<Record<'title' | 'language' | 'text', string>>;

/** One vendor: pure functions over bytes and values. */
export interface Vendor {
  readonly name: VendorName;
  /** Raised whenever `normalize` answers something else for a stored body. */
  readonly version: number;
  readonly methods: readonly HookMethod[];
  /** Largest body, as received and as inflated, and most keys and elements; more keys is a dead letter. */
  readonly limits: { readonly bytes: number; readonly keys: number; readonly most_bytes?: number };
  /** What it can authenticate with, the default first. */
  readonly schemes: readonly AuthSettings['scheme'][];
  readonly signature?: Signature;
  /** Defaults of `auth`. */
  readonly auth?: Partial<AuthSettings>;
  /** Headers worth keeping, beside those of every delivery. */
  readonly keep: readonly string[];
  /** Defaults of the policy that differ from everyone's. */
  readonly policy?: Partial<SourcePolicy>;
  /** `payload` reads the body; it is read only for bodies of at most 256 KiB, and undefined when undecodable. */
  deliveryKey(arrival: Arrival, payload: () => unknown, settings: VendorSettings): string | undefined;
  /** Reads the payload where it is not plain JSON. Throws Undecodable. */
  decode?(arrival: Arrival, parse: (bytes: Uint8Array) => unknown): unknown;
  /** Throws Undecodable for a shape it does not know. */
  normalize(
    input: Pick<Arrival, 'headers' | 'query'> & { readonly payload: unknown; readonly settings: VendorSettings },
  ): readonly Draft[];
  /** A smaller body to keep when the payload holds what must not be stored. */
  reduce?(payload: unknown): unknown;
  /** Members of the answer that the vendor requires. */
  answer?(payload: unknown): object | undefined;
  fixture(nowMs: number, id: string): Fixture;
  /** Copy-paste configuration; `secret` is a placeholder unless it was made just now. */
  setup(input: { readonly url: string; readonly secret: string; readonly auth: AuthSettings }): {
    readonly steps: readonly string[];
    readonly snippets: readonly Snippet[];
  };
}

type Usual = 'methods' | 'keep' | 'deliveryKey';

/** Defines a vendor. Unless it says otherwise it sends by POST, no header is kept, and the body names a delivery. */
export function defineVendor(vendor: Omit<Vendor, Usual> & Partial<Pick<Vendor, Usual>>): Vendor {
  return { methods: ['POST'], keep: [], deliveryKey: () => undefined, ...vendor };
}

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
