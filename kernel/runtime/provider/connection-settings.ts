import { optional } from '../../tools/schema.ts';

/** Settings of every configuration that reaches hosts; units are in the names. */
export const connectionSettings = {
  max_connections: optional({
    type: 'integer',
    title: 'Connections to one host at most',
    minimum: 1,
    maximum: 256,
    default: 16,
  }),
  connect_timeout_ms: optional({
    type: 'integer',
    title: 'Time for connecting',
    description: 'From the look-up of the name to the end of TLS.',
    minimum: 100,
    maximum: 120000,
    default: 10000,
  }),
} as const;
