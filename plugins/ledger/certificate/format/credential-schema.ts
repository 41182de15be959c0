import { exactly, optional, type Infer, type JsonSchema } from '../../../../kernel/index.ts';
import { componentNames, tiers } from '../../shapes.ts';

const text = { type: 'string', maxLength: 2000 } as const;
const day = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' } as const;
const midnight = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT00:00:00Z$' } as const;
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const component = exactly({
  name: { type: 'string', enum: componentNames },
  weight: count,
  valueMilli: count,
  pointsMilli: count,
});

const basis = exactly({
  windowStart: day,
  windowEnd: day,
  runsCounted: count,
  effectiveRunsMilli: count,
  effectiveCallersMilli: count,
  activeDays: count,
  lastRunDay: optional(day),
});

const subject = exactly({
  id: text,
  type: { const: 'Orb' },
  orbId: text,
  namespace: text,
  orbName: text,
  version: text,
  manifestDigest: digest,
  tier: { type: 'string', enum: tiers },
  tierRank: { type: 'integer', minimum: 1, maximum: 4 },
  reputationScore: { type: 'integer', minimum: 0, maximum: 100 },
  reputationScoreMilli: { type: 'integer', minimum: 0, maximum: 100_000 },
  components: { type: 'array', maxItems: 7, items: component },
  limitedBy: optional({ type: 'string', enum: componentNames }),
  basis,
  receiptLog: exactly({ origin: text, treeSize: count, rootHash: text }),
  snapshot: exactly({ day, digest }),
  scoringPolicy: exactly({ id: text, digest }),
  certification: exactly({
    tierSince: day,
    firstAchieved: day,
    profile: { type: 'string', enum: ['single-org', 'multi-tenant'] },
  }),
  publisher: exactly({ namespace: text, method: { const: 'operator' }, manifestKey: optional(text) }),
});

const statusEntry = exactly({
  id: text,
  type: { const: 'BitstringStatusListEntry' },
  statusPurpose: { type: 'string', enum: ['revocation', 'suspension'] },
  statusListIndex: { type: 'string', pattern: '^(0|[1-9]\\d{0,9})$' },
  statusListCredential: text,
});

const proof = exactly({
  '@context': { type: 'array', maxItems: 2, items: text },
  type: { const: 'DataIntegrityProof' },
  cryptosuite: { const: 'eddsa-jcs-2022' },
  created: midnight,
  verificationMethod: text,
  proofPurpose: { const: 'assertionMethod' },
  proofValue: { type: 'string', maxLength: 128 },
});

const typed = { type: 'array', minItems: 1, maxItems: 2, items: text } as const;

/** Schema of a certificate: a W3C Verifiable Credential 2.0 with exactly these members. */
export const certificateSchema = {
  $id: 'OrbCertificate',
  ...exactly({
    '@context': { type: 'array', minItems: 2, maxItems: 2, items: text },
    id: text,
    type: typed,
    name: text,
    description: text,
    issuer: exactly({ id: text, name: text }),
    validFrom: midnight,
    validUntil: midnight,
    credentialSubject: subject,
    evidence: { type: 'array', minItems: 1, maxItems: 1, items: exactly({ id: text, type: typed, name: text }) },
    relatedResource: {
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: exactly({ id: text, mediaType: text, digestMultibase: text }),
    },
    credentialSchema: exactly({ id: text, type: { const: 'JsonSchema' } }),
    credentialStatus: { type: 'array', minItems: 2, maxItems: 2, items: statusEntry },
    proof,
  }),
} as const satisfies JsonSchema;

/** A certificate with its proof. */
export type Certificate = Infer<typeof certificateSchema>;

/** Path of the schema document, under the public address. */
export const schemaPath = '/schemas/orb-certificate-1.json';

/** Builds the schema as a document of its own. */
export function schemaDocument(publicUrl: string): object {
  const { $id: title, ...schema } = certificateSchema;
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: publicUrl + schemaPath, title, ...schema };
}
