/**
 * Returns the host of a link as browsers find it: in lower-case ASCII, without a dot at its end. Undefined: it has none.
 */
export function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname.replace(/\.$/u, '') ?? '';
  return host === '' ? undefined : host;
}
