import type { JsonSchema } from '../../../kernel/index.ts';
import { decodeBase64 } from '../format/base64.ts';
import type { OtherPredicate } from './predicate.ts';
import { isTime, type Rules } from './rule.ts';
import {
  closed,
  digest,
  headProperties,
  headRequired,
  id,
  natural,
  orbId,
  origin,
  policyFacts,
  statementProperties,
  statementRequired,
  text,
  time,
} from '../format/schema-parts.ts';

const change = {
  ...closed,
  required: ['change'],
  properties: {
    change: { type: 'string', enum: ['suspended', 'lifted', 'published', 'deprecated', 'yanked', 'removed'] },
    reason: text,
    principal: id('prn'),
    incident_id: id('inc'),
    manifest_digest: digest,
    manifest_signed: { type: 'boolean' },
    policy: policyFacts,
  },
} as const;

const snapshot = {
  ...closed,
  required: ['change', 'day', 'logs', 'profile', 'scoring_policy', 'digest'],
  properties: {
    change: { const: 'snapshot' },
    day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    logs: {
      type: 'array',
      items: {
        ...closed,
        required: ['origin', 'tree_size', 'root_hash'],
        properties: { origin, tree_size: natural, root_hash: { type: 'string', description: 'base64 of 32 bytes' } },
      },
    },
    profile: { type: 'string', enum: ['single-org', 'multi-tenant'] },
    scoring_policy: { ...closed, required: ['id', 'digest'], properties: { id: text, digest } },
    digest,
  },
} as const;

const head = { ...headProperties, at: time } as const;
const required = [...headRequired, 'at', 'facts'] as const;

/** Schema of the statement of a standing: of one Orb, or the snapshot of a day. */
export const standingStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:standing:v1' },
    predicate: {
      anyOf: [
        { ...closed, required: [...required, 'orb_id'], properties: { ...head, orb_id: orbId, facts: change } },
        { ...closed, required, properties: { ...head, facts: snapshot } },
      ],
    },
  },
} as const satisfies JsonSchema;

/** Lists what the members of a standing must agree in. */
export function standingRules(predicate: OtherPredicate): Rules {
  const { facts } = predicate;
  if (facts['change'] === 'snapshot') return snapshotRules(predicate);
  const published = facts['change'] === 'published';
  const { manifest_digest, manifest_signed, policy, reason } = facts;
  return [
    [published || reason !== undefined, 'a standing has a reason unless an Orb was published'],
    [
      (manifest_digest !== undefined) === published && (manifest_signed !== undefined) === published,
      'the manifest is named iff an Orb was published',
    ],
    [published || policy === undefined, 'a policy decides of publishing alone'],
  ];
}

function snapshotRules({ facts, issuer }: OtherPredicate): Rules {
  // The schema has said what they are.
  const { day, logs } = facts as { readonly day: string; readonly logs: readonly Snapshot[] };
  const origins = logs.map(({ origin }) => origin);
  return [
    [isTime(`${day}T00:00:00.000Z`), 'the day does not exist'],
    [logs.length > 0 && new Set(origins).size === logs.length, 'a snapshot names each log once'],
    [origins.every((name) => name.startsWith(`${issuer.installation}.`)), 'a log is of another installation'],
    [logs.every(({ root_hash }) => decodeBase64(root_hash)?.length === 32), 'a root is not base64 of 32 bytes'],
  ];
}

interface Snapshot {
  readonly origin: string;
  readonly root_hash: string;
}
