import { defineCapability } from '../../kernel/index.ts';

/** The capability of http.fetch and http.send: makes one HTTP request to a host its configuration lists. */
export const http = defineCapability({
  name: 'http',
  title: 'Call HTTP services',
  inputs: {
    url: 'Absolute URL, with http or https. Its host must be one that the operator allows',
    method: 'Method of the request',
    headers: 'Headers of the request by name. Credentials come from the operator, never from here',
    body: 'Body of the request as text, or as base64 with `encoding`. Not beside `json`',
    encoding: 'How `body` is written: utf8 (the default) or base64',
    json: 'Body of the request as a JSON value. Not beside `body`',
  },
});

/** Methods of http.fetch: they change nothing at the target (RFC 9110 §9.2.1). */
export const safeMethods = ['GET', 'HEAD'] as const;

/** Methods of http.send: their effect cannot be undone. */
export const unsafeMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method of one of the two Orbs. */
export type Method = (typeof safeMethods)[number] | (typeof unsafeMethods)[number];

/** Encoding of bytes in JSON; base64 is RFC 4648 §4 with padding. */
export type Encoding = 'utf8' | 'base64';

/** Inputs of http.fetch; the default method is GET. */
export interface FetchInputs {
  /** Absolute URL with its host in ASCII; a fragment is not sent. */
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
  /** Encoding of `body`; the default is utf8. */
  readonly encoding?: Encoding;
  readonly json?: unknown;
}

/** Outputs of both Orbs: the target's answer, including redirects and refusals. */
export interface HttpOutputs {
  readonly status: number;
  /** Headers with names in lower case; only those listed in `exchange/exposed.ts`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body without its content coding; empty when there is no body. */
  readonly body: string;
  /** `utf8` whenever the bytes are well-formed UTF-8. */
  readonly encoding: Encoding;
  /** The body is incomplete: it is longer than the cap or, for http.send, the transfer broke off. */
  readonly truncated?: true;
}
