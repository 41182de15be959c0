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
