import { connectionSettings, optional } from '../../../kernel/adapter.ts';

/** Settings of every HTTP adapter; units are in the names. */
export const transportSettings = {
  ...connectionSettings,
  response_timeout_ms: optional({
    type: 'integer',
    title: 'Time limit without data from the vendor',
    minimum: 100,
    maximum: 600000,
    default: 30000,
  }),
} as const;

/** Makes the setting for the vendor's base URL; `address` is the default. Plain HTTP is allowed for loopback only. */
export function baseUrl<const D extends string>(address: D) {
  return { ...anyBaseUrl, default: address } as const;
}

/** The setting for a base URL without default: scheme, host and port. Plain HTTP is allowed for loopback only. */
export const anyBaseUrl = {
  type: 'string',
  title: 'Base URL of the API',
  description: 'Scheme, host and port without a path; https, or http to a loopback address.',
  pattern: '^(?:https://[A-Za-z0-9.-]+|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::[0-9]{1,5})?$',
  maxLength: 512,
} as const;

/** Makes the setting for a secret in a request header: visible ASCII, so that the secret cannot end the header. */
export function secretText<const T extends string>(title: T) {
  return { type: 'string', title, minLength: 1, maxLength: 4096, pattern: '^[!-~]+$', secret: true } as const;
}
