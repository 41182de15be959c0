import { defineCapability } from '../../kernel/index.ts';

/** The capability of http.fetch and http.send: makes one HTTP request to a host its configuration lists. */
export const http = defineCapability({ name: 'http', title: 'Call HTTP services' });

/** Methods of http.fetch: they change nothing at the target (RFC 9110 §9.2.1). */
export const safeMethods = ['GET', 'HEAD'] as const;

/** Methods of http.send: an effect that nobody can take back. */
export const unsafeMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method of one of the two Orbs. */
export type Method = (typeof safeMethods)[number] | (typeof unsafeMethods)[number];

/** How bytes stand in a JSON text; base64 is RFC 4648 §4 with padding. */
export type Encoding = 'utf8' | 'base64';

/** Inputs of http.fetch; GET unless it says otherwise. */
export interface FetchInputs {
  /** Absolute, with its host in ASCII; a fragment is not sent. */
  readonly url: string;
  readonly method?: (typeof safeMethods)[number];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Inputs of http.send: a body as text, bytes or JSON; at most one of `body` and `json`. */
export interface SendInputs {
  readonly url: string;
  readonly method: (typeof unsafeMethods)[number];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of `body`; utf8 unless it says otherwise. */
  readonly encoding?: Encoding;
  readonly json?: unknown;
}

/** Outputs of both Orbs: what the target answered, redirects and refusals included. */
export interface HttpOutputs {
  readonly status: number;
  /** Names in lower case; only those of the list in `exchange/exposed.ts`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without its content coding; empty when there is none. */
  readonly body: string;
  /** `utf8` whenever the bytes are well-formed UTF-8. */
  readonly encoding: Encoding;
  /** The body is not whole: longer than the cap or, of http.send, cut off on its way. */
  readonly truncated?: true;
}
