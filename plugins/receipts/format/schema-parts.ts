import type { JsonSchema } from '../../../kernel/index.ts';
import { described, exactly, oneOf, optional } from './exactly.ts';

// Parts shared by the schemas of all kinds of statements. No floats, no null: absent values are omitted.

const ulid = '[0-9A-HJKMNP-TV-Z]{26}';

/** Schema of an id: prefix and ULID. */
export const id = <const P extends string>(prefix: P) =>
  ({ type: 'string', pattern: `^${prefix}_${ulid}$` }) as const satisfies JsonSchema;
/** Schema of a text that is not empty. */
export const text = { type: 'string', minLength: 1 } as const satisfies JsonSchema;
/** Schema of a snake_case word. */
export const word = { type: 'string', pattern: '^[a-z][a-z0-9_]*$' } as const satisfies JsonSchema;
/** Schema of a digest: `sha256:` and 64 hex digits. */
export const digest = {
  title: 'Digest',
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
} as const satisfies JsonSchema;
/** Schema of a time: RFC 3339 UTC, three decimals. */
export const time = {
  title: 'ExactTime',
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
} as const satisfies JsonSchema;
/** Schema of a whole number from 0. */
export const natural = { type: 'integer', minimum: 0 } as const satisfies JsonSchema;
/** Schema of a key id (RFC 7638 thumbprint). */
export const kid = { title: 'KeyId', type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } as const satisfies JsonSchema;
/** Schema of an Orb id. */
export const orbId = {
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9._-]*@[0-9A-Za-z.+-]+$',
} as const satisfies JsonSchema;
/** Schema of the name of a log. */
export const origin = {
  title: 'LogName',
  type: 'string',
  pattern: `^ins_${ulid}\\.orb/receipts/\\d+(-[0-9a-f]{8})?$`,
} as const satisfies JsonSchema;
/** Schema of a salted commitment to a value, with the bytes of its canonical form. */
export const commitment = exactly('Commitment', {
  commitment: { ...digest, description: 'Salted digest of the value' },
  size: { ...natural, description: 'Bytes of the value in canonical form' },
});

/** Schema of `facts.policy`: the decision and its source. */
export const policyFacts = exactly('PolicyFacts', {
  decision: oneOf(['allow', 'deny'], 'What was decided'),
  decision_id: optional({ ...id('dec'), description: 'Id of the decision' }),
  accepted_decision_id: optional({ ...id('dec'), description: 'Of a run that waited: the one at its entry' }),
  revision: optional({ ...digest, description: 'Digest of the revision of the policies' }),
  policies: { type: 'array', description: 'Ids of the policies', items: text },
  reasons: optional({
    type: 'array',
    maxItems: 16,
    description: 'Why it was denied',
    items: exactly({
      code: { ...text, description: 'Code of the reason' },
      policy: optional({ ...text, description: 'Id of the policy' }),
      message_commitment: optional({ ...digest, description: 'Commitment to its words' }),
    }),
  }),
  warns: { ...natural, description: 'Number of policies that warned' },
  shadow_denies: { ...natural, description: 'Number of policies in shadow that would deny' },
  input_commitment: optional({ ...digest, description: 'Commitment to what the policies saw' }),
});

/** Schema of 32 bytes in base64 with a unique encoding: the last letter has no spare bits. */
export const base64Of32 = { type: 'string', pattern: '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$' } as const;
/** The same in base64url without padding. */
export const base64UrlOf32 = { type: 'string', pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' } as const;

/** Makes the schema of a predicate whose facts fit the given object schema: used by the rules of a kind. */
export function factsThat(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { facts: { type: 'object', ...schema } } };
}

/** First members of every kind's predicate, all required; `tenant`, which only some kinds have, is not one of them. */
export const head = {
  receipt_id: { ...id('rec'), description: 'Id of the receipt' },
  log: {
    description: 'The log that takes the receipt',
    ...exactly('LogReference', { origin: { ...origin, description: 'Name of the log' } }),
  },
  issuer: {
    description: 'Who signs',
    ...exactly('Issuer', {
      kid: { ...kid, description: 'Id of the key (RFC 7638 thumbprint)' },
      version: { ...text, description: 'Version of the program' },
      installation: { ...id('ins'), description: 'Id of the installation, `ins_<ulid>`' },
    }),
  },
  non_claims: { type: 'array', description: 'What a receipt does not claim', items: word },
} as const;

const subject = exactly('Subject', {
  name: { ...text, description: 'Name of the subject' },
  digest: described('Digests of the subject', {
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256, hex' },
  }),
});

/** Makes the schema of a statement (in-toto Statement v1) with this type and predicate. */
export const statementOf = <const Type extends object, const Predicate extends object>(
  predicateType: Type,
  predicate: Predicate,
) =>
  exactly({
    _type: { const: 'https://in-toto.io/Statement/v1', description: 'in-toto Statement v1' },
    predicateType,
    subject: { type: 'array', minItems: 1, description: 'What the statement is about, by digest', items: subject },
    predicate,
  });
