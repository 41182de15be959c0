import type { Arrival, HookMethod, Signature } from '../auth/proof.ts';
import type { AuthSettings, SourcePolicy, VendorSettings } from '../settings/schema.ts';
import type { Signal, SubjectHint } from '../../signals/signal.ts';
import type { AuthStrength, VendorName } from '../../signals/words.ts';

type Sure = 'type' | 'vendor_type' | 'state' | 'title' | 'episode_key';
type Told = 'vendor_event_id' | 'severity_text' | 'severity' | 'summary' | 'url' | 'value';
type Moment = 'occurred_at' | 'starts_at' | 'ends_at';

/**
 * One event before it gets its identity. Times are milliseconds since the epoch; `severity` overrides the table lookup
 * by `severity_text`, the vendor's word.
 */
export interface Draft
  extends
    Pick<Signal, Sure>,
    Partial<Pick<Signal, 'labels' | 'annotations' | 'test' | 'incomplete'>>,
    Readonly<Partial<Record<Moment, number | undefined>>>,
    Readonly<{ [K in Told]?: Signal[K] | undefined }> {
  /** Subjects named besides the labels. */
  readonly hints?: readonly Pick<SubjectHint, 'name' | 'value'>[];
  /** Outsiders can write labels and hints. */
  readonly outsider?: boolean;
  /** It was read from the platform's own metrics. */
  readonly own?: boolean;
  /** Strength for an event that the delivery's proof does not cover. */
  readonly strength?: AuthStrength;
}

/** A test delivery or an example, before it is signed. */
export interface Fixture {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One text of a vendor's configuration, to paste. */
export type Snippet = Readonly<Record<'title' | 'language' | 'text', string>>;

/** One vendor: pure functions over bytes and values. */
export interface Vendor {
  readonly name: VendorName;
  /** Its plugin is not loaded. */
  readonly absent?: true;
  /** Its deliveries report on messages: it opens no incidents. */
  readonly reports?: true;
  /** Increased whenever `normalize` gives another result for a stored body. */
  readonly version: number;
  readonly methods: readonly HookMethod[];
  /**
   * `bytes`: default limit of a body, as received and as inflated; `most_bytes`: highest limit that a source may set
   * (default: `bytes`); `keys`: most members and elements, more make a dead letter.
   */
  readonly limits: { readonly bytes: number; readonly keys: number; readonly most_bytes?: number };
  /** Supported authentication schemes, the default first. */
  readonly schemes: readonly AuthSettings['scheme'][];
  readonly signature?: Signature;
  /** Defaults of `auth`. */
  readonly auth?: Partial<AuthSettings>;
  /** Headers to store besides those of every delivery. */
  readonly keep: readonly string[];
  /** Policy defaults that differ from the general ones. */
  readonly policy?: Partial<SourcePolicy>;
  /**
   * Finds the vendor's id of a delivery. `payload` reads the body; undefined for bodies above 256 KiB and undecodable
   * ones.
   */
  deliveryKey(arrival: Arrival, payload: () => unknown, settings: VendorSettings): string | undefined;
  /** The signature does not cover the id: with it, equal bytes are the same delivery under any id. */
  readonly unsignedId?: boolean;
  /** Says whether a body holds the time of its event: then equal bytes never report another event. */
  isDated?(payload: unknown): boolean;
  /** Reads a payload that is not plain JSON. Throws Undecodable. */
  decode?(arrival: Arrival, parse: (bytes: Uint8Array) => unknown): unknown;
  /** Makes the drafts of a payload. Throws Undecodable for an unknown shape. */
  normalize(
    input: Pick<Arrival, 'headers' | 'query'> & { readonly payload: unknown; readonly settings: VendorSettings },
  ): readonly Draft[];
  /**
   * Makes a smaller body to store, an object, when the payload contains data that must not be stored. Of a body that
   * cannot be read the reason is stored alone.
   */
  reduce?(payload: unknown): object | undefined;
  /** Members of the answer that the vendor requires. */
  answer?(payload: unknown): object | undefined;
  fixture(nowMs: number, id: string): Fixture;
  /** Makes the configuration to paste; `secret` is a placeholder unless it was just made. */
  setup(input: { readonly url: string; readonly secret: string; readonly auth: AuthSettings }): {
    readonly steps: readonly string[];
    readonly snippets: readonly Snippet[];
  };
}

type Usual = 'methods' | 'keep' | 'deliveryKey';

/** Defines a vendor with defaults: it sends by POST, no extra header is stored, and the body identifies a delivery. */
export function defineVendor(vendor: Omit<Vendor, Usual> & Partial<Pick<Vendor, Usual>>): Vendor {
  return { methods: ['POST'], keep: [], deliveryKey: () => undefined, ...vendor };
}

/** Makes a test delivery or an example from JSON, before it is signed. */
export function jsonFixture(body: unknown, headers: Fixture['headers'] = {}): Fixture {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Makes one text of a vendor's configuration, to paste. */
export function snippet(title: string, text: string, language = 'text'): Snippet {
  return { title, language, text };
}

/** Makes one JSON text of a vendor's configuration, to paste. */
export function jsonSnippet(title: string, value: object): Snippet {
  return snippet(title, JSON.stringify(value, null, 2), 'json');
}

/** Members of a draft for events other than alerts: they open nothing. */
export const quiet = { type: 'orb.signal.change', state: 'info', severity: 'info' } as const;

/** Members of a draft for events that are only counted. */
export const counted = { ...quiet, type: 'orb.signal.analytics' } as const;
