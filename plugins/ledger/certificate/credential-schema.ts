import type { Infer, JsonSchema } from '../../../kernel/index.ts';
import { componentNames, tiers } from '../contract.ts';

const text = { type: 'string', maxLength: 2000 } as const;
const day = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' } as const;
const midnight = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT00:00:00Z$' } as const;
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const component = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'weight', 'valueMilli', 'pointsMilli'],
  properties: { name: { type: 'string', enum: componentNames }, weight: count, valueMilli: count, pointsMilli: count },
} as const;

const basis = {
  type: 'object',
  additionalProperties: false,
  required: ['windowStart', 'windowEnd', 'runsCounted', 'effectiveRunsMilli', 'effectiveCallersMilli', 'activeDays'],
  properties: {
    windowStart: day,
    windowEnd: day,
    runsCounted: count,
    effectiveRunsMilli: count,
    effectiveCallersMilli: count,
    activeDays: count,
    lastRunDay: day,
  },
} as const;

const subject = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...['id', 'type', 'orbId', 'namespace', 'orbName', 'version', 'manifestDigest', 'tier', 'tierRank'],
    ...['reputationScore', 'reputationScoreMilli', 'components', 'basis', 'receiptLog', 'snapshot', 'scoringPolicy'],
    ...['certification', 'publisher'],
  ],
  properties: {
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
    limitedBy: { type: 'string', enum: componentNames },
    basis,
    receiptLog: {
      type: 'object',
      additionalProperties: false,
      required: ['origin', 'treeSize', 'rootHash'],
      properties: { origin: text, treeSize: count, rootHash: text },
    },
    snapshot: {
      type: 'object',
      additionalProperties: false,
      required: ['day', 'digest'],
      properties: { day, digest },
    },
    scoringPolicy: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'digest'],
      properties: { id: text, digest },
    },
    certification: {
      type: 'object',
      additionalProperties: false,
      required: ['tierSince', 'firstAchieved', 'profile'],
      properties: {
        tierSince: day,
        firstAchieved: day,
        profile: { type: 'string', enum: ['single-org', 'multi-tenant'] },
      },
    },
    publisher: {
      type: 'object',
      additionalProperties: false,
      required: ['namespace', 'method'],
      properties: { namespace: text, method: { const: 'operator' }, manifestKey: text },
    },
  },
} as const;

const statusEntry = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'type', 'statusPurpose', 'statusListIndex', 'statusListCredential'],
  properties: {
    id: text,
    type: { const: 'BitstringStatusListEntry' },
    statusPurpose: { type: 'string', enum: ['revocation', 'suspension'] },
    statusListIndex: { type: 'string', pattern: '^(0|[1-9]\\d{0,9})$' },
    statusListCredential: text,
  },
} as const;

const proof = {
  type: 'object',
  additionalProperties: false,
  required: ['@context', 'type', 'cryptosuite', 'created', 'verificationMethod', 'proofPurpose', 'proofValue'],
  properties: {
    '@context': { type: 'array', maxItems: 2, items: text },
    type: { const: 'DataIntegrityProof' },
    cryptosuite: { const: 'eddsa-jcs-2022' },
    created: midnight,
    verificationMethod: text,
    proofPurpose: { const: 'assertionMethod' },
    proofValue: { type: 'string', maxLength: 128 },
  },
} as const;

const typed = { type: 'array', minItems: 1, maxItems: 2, items: text } as const;

/** Schema of a certificate: a W3C Verifiable Credential 2.0 with exactly these members. */
export const certificateSchema = {
  $id: 'OrbCertificate',
  type: 'object',
  additionalProperties: false,
  required: [
    ...['@context', 'id', 'type', 'name', 'description', 'issuer', 'validFrom', 'validUntil', 'credentialSubject'],
    ...['evidence', 'relatedResource', 'credentialSchema', 'credentialStatus', 'proof'],
  ],
  properties: {
    '@context': { type: 'array', minItems: 2, maxItems: 2, items: text },
    id: text,
    type: typed,
    name: text,
    description: text,
    issuer: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name'],
      properties: { id: text, name: text },
    },
    validFrom: midnight,
    validUntil: midnight,
    credentialSubject: subject,
    evidence: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'type', 'name'],
        properties: { id: text, type: typed, name: text },
      },
    },
    relatedResource: {
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'mediaType', 'digestMultibase'],
        properties: { id: text, mediaType: text, digestMultibase: text },
      },
    },
    credentialSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'type'],
      properties: { id: text, type: { const: 'JsonSchema' } },
    },
    credentialStatus: { type: 'array', minItems: 2, maxItems: 2, items: statusEntry },
    proof,
  },
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
