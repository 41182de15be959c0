import type { Answered, Infer } from '../../../kernel/index.ts';
import { exactly, optional, oneOf, component } from '../format/exactly.ts';
import { kid, natural, origin } from '../format/schema-parts.ts';

/** Schema of the role of a key. */
export const role = oneOf(['receipt', 'log', 'certificate'], 'What the key signs');

/** Schema of a position in a log. */
export const position = exactly('LogPosition', {
  origin: { ...origin, description: 'Name of the log', examples: ['ins_01JD3M8QK4T5V6W7X8Y9Z0A1B2.orb/receipts/1'] },
  index: { ...natural, description: 'Position in the log, from 0' },
});

/** Schema of a signing key as it is listed. */
export const signingKey = exactly('SigningKey', {
  kid: {
    ...kid,
    description: 'Id of the key (RFC 7638 thumbprint)',
    examples: ['nPNOqDz8Hb2VyMSVcGyD0jTmDFXhqSVHFC9Vb0u6cVs'],
  },
  role,
  status: oneOf(['active', 'retired', 'revoked'], 'Status of the key'),
  created_at: { type: 'string', description: 'When it was created, RFC 3339 UTC' },
  since: optional({ ...position, description: 'Position of the entry that published it' }),
  origin: optional({ type: 'string', description: 'For a log key: the log that it signs' }),
  revoked_at: optional({ ...position, description: 'The position from which its signatures are not valid' }),
});
/** A signing key as it is listed. */
export type ListedKey = Answered<typeof signingKey>;

/** Schema of the result of a change of the signing keys. */
export const keyChanged = component('SigningKeyChange', {
  role,
  kid: { ...kid, description: 'Id of the key that was created or revoked' },
  previous_kid: optional({ ...kid, description: 'Id of the previous key' }),
  successor_kid: optional({ ...kid, description: 'After a revocation: id of the key that signs now' }),
  origin: optional({ type: 'string', description: 'For a log key: the new log' }),
  from: optional({ ...position, description: 'The position from which signatures of the revoked key are not valid' }),
  receipt_id: { type: 'string', description: 'Receipt of the change' },
  position: { ...position, description: 'Position of the entry of the change' },
});
/** The result of a change; complete once the write resolves. */
export type KeyChanged = Infer<typeof keyChanged>;
