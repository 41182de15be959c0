/** Methods of http.fetch: they change nothing at the target (RFC 9110 §9.2.1). */
export const safeMethods = ['GET', 'HEAD'] as const;

/** Methods of http.send: their effect cannot be undone. */
export const unsafeMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method of one of the two Orbs. */
export type Method = (typeof safeMethods)[number] | (typeof unsafeMethods)[number];

/** Encoding of bytes in JSON; base64 is RFC 4648 §4 with padding. */
export type Encoding = 'utf8' | 'base64';
