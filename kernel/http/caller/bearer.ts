// RFC 6750 §2.1; the length limit keeps a caller from having long texts hashed.
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i;

/** Reads the token of a header Authorization; undefined: it has none that could be one. */
export function tokenOf(header: string): string | undefined {
  return bearer.exec(header)?.[1];
}
