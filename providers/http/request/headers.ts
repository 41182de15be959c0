import { ProviderError } from '../../../kernel/adapter.ts';

/** Headers of the connection or our own, which neither the caller nor the configuration may set. */
export const ownHeaders = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

// A target may trust our address and so believe headers about the caller's origin or another method.
const refusedNames =
  /^(?:proxy-.*|forwarded|via|x-forwarded-.*|x-real-ip|x-http-method(?:-override)?|x-method-override)$/u;

const token = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/u;

/**
 * Checks the caller's headers and returns them with lower-case names. Throws ProviderError `rejected`, which never
 * shows a value, for a line end, a duplicate name, or a name that belongs to the connection, to us or to the provider.
 */
export function callerHeaders(given: unknown, fixed: Readonly<Record<string, string>>): Record<string, string> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refused('must be an object whose values are strings');
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [spelled, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    const name = spelled.toLowerCase();
    if (!token.test(name)) throw refused('contain an invalid header name');
    if (ownHeaders.some((own) => own === name) || refusedNames.test(name))
      throw refused(`must not contain ${name}; it controls the connection, or targets would trust it`);
    if (Object.hasOwn(fixed, name)) throw refused(`must not contain ${name}; the provider sets it for this host`);
    if (name in headers) throw refused(`contain ${name} twice`);
    if (typeof value !== 'string' || value.length > 8192 || !/^[\t -~]*$/u.test(value))
      throw refused(`contain a value of ${name} that is not one line of at most 8192 ASCII characters`);
    // Receivers drop blanks around a value (RFC 9110 §5.5).
    headers[name] = value.trim();
  }
  return headers;
}

function refused(reason: string): ProviderError {
  return new ProviderError('rejected', `headers ${reason}`, { phase: 'guard' });
}
