import { PlatformError } from '../../../kernel/index.ts';

/** Reads the header Idempotency-Key: bare, or a quoted string; 1–255 visible ASCII characters. Throws 400. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(', ') : header.trim();
  const key = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? text;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'must be 1 to 255 visible ASCII characters, bare or quoted';
  throw new PlatformError('invalid_parameter', `Idempotency-Key ${detail}`, {
    errors: [{ pointer: '#/idempotency-key', detail }],
  });
}
