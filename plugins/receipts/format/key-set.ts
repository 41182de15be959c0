import type { JsonSchema } from '../../../kernel/index.ts';
import { exactly, optional, oneOf, component, listOf } from './exactly.ts';

const place = (description: string) =>
  ({
    description,
    ...exactly('LogPlace', {
      origin: { type: 'string', description: 'Name of the log' },
      index: { type: 'integer', description: 'Position in the log, from 0' },
    }),
  }) as const satisfies JsonSchema;

/** Schema of the public keys as they are published: a JWK Set (RFC 8037), with members of our own. */
export const keySetSchema = component('KeySet', {
  keys: listOf(
    'The active, retired and revoked keys',
    exactly({
      kty: { const: 'OKP', description: 'Type of the key' },
      crv: { const: 'Ed25519', description: 'Curve of the key' },
      x: { type: 'string', description: 'The public key, base64url' },
      kid: { type: 'string', description: 'RFC 7638 thumbprint' },
      alg: { const: 'EdDSA', description: 'Algorithm' },
      use: { const: 'sig', description: 'Use of the key' },
      role: oneOf(['receipt', 'log', 'certificate'], 'What the key signs'),
      status: oneOf(['active', 'retired', 'revoked'], 'Status of the key'),
      nbf: { type: 'integer', description: 'When it became valid, seconds since the Unix epoch' },
      origin: optional({ type: 'string', description: 'For a log key: the log that it signs' }),
      since: optional(place('For a certificate key: the position of the entry that published it')),
      revoked_at: optional(place('The position from which its signatures are not valid')),
      stands: optional(
        listOf('Positions up to which its signatures stay valid in other logs', place('A position in a log')),
      ),
    }),
  ),
});
