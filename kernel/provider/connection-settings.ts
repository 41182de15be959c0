import { optional } from '../tools/schema.ts';

/** Settings of every configuration that reaches hosts; units are in the names. */
export const connectionSettings = {
  max_connections: optional({
    type: 'integer',
    title: 'Maximum number of connections to one host',
    minimum: 1,
    maximum: 256,
    default: 16,
  }),
  connect_timeout_ms: optional({
    type: 'integer',
    title: 'Timeout for connecting',
    description: 'From the DNS look-up to the end of the TLS handshake.',
    minimum: 100,
    maximum: 120000,
    default: 10000,
  }),
} as const;
