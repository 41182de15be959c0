import { exactly, optional, type JsonSchema } from '../../../kernel/index.ts';
import { factParts, defineFact, type FactOf } from '../../receipts/contract.ts';

const { digest, factsThat: facts, id, natural, orbId, origin, policyFacts, text } = factParts;

const change = exactly({
  change: { type: 'string', enum: ['suspended', 'lifted', 'published', 'deprecated', 'yanked', 'removed'] },
  reason: optional({ ...text, description: 'Required but for `published`' }),
  principal: optional({ ...id('prn'), description: 'Absent: the platform itself' }),
  incident_id: optional(id('inc')),
  manifest_digest: optional(digest),
  manifest_signed: optional({ type: 'boolean' }),
  policy: optional(policyFacts),
});

const snapshot = exactly({
  change: { const: 'snapshot' },
  day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  logs: {
    type: 'array',
    items: exactly({ origin, tree_size: natural, root_hash: { type: 'string', description: 'base64 of 32 bytes' } }),
  },
  profile: { type: 'string', enum: ['single-org', 'multi-tenant'] },
  scoring_policy: exactly({ id: text, digest }),
  digest: { ...digest, description: 'Of the snapshot' },
});

const published = facts({ properties: { change: { const: 'published' } } });
const unpublished = facts({
  properties: { change: { enum: ['suspended', 'lifted', 'deprecated', 'yanked', 'removed'] } },
});
const ofSnapshot = facts({ properties: { change: { const: 'snapshot' } } });
const without = (name: string): JsonSchema => facts({ not: { type: 'object', required: [name] } });
const manifest = 'the manifest is named iff an Orb was published';
const eachOnce = 'a snapshot names each log once';

/** A change of an Orb's standing, or the snapshot of a day. */
export const standingFact = defineFact({
  kind: 'standing',
  predicate: { anyOf: [exactly({ orb_id: orbId, facts: change }), exactly({ facts: snapshot })] },
  subject: ['orb_id', 'day'],
  scopes: ['reputation:suspend'],
  rules: [
    {
      fault: 'a standing has a reason unless an Orb was published',
      when: unpublished,
      must: facts({ required: ['reason'] }),
    },
    { fault: manifest, when: published, must: facts({ required: ['manifest_digest', 'manifest_signed'] }) },
    { fault: manifest, when: unpublished, must: without('manifest_digest') },
    { fault: manifest, when: unpublished, must: without('manifest_signed') },
    { fault: 'a policy decides of publishing alone', when: unpublished, must: without('policy') },
    {
      fault: 'the day does not exist',
      when: ofSnapshot,
      must: facts({ properties: { day: { type: 'string', format: 'date' } } }),
    },
    { fault: eachOnce, when: ofSnapshot, must: facts({ properties: { logs: { type: 'array', minItems: 1 } } }) },
    { fault: eachOnce, unique: 'facts.logs.*.origin' },
    {
      fault: 'a log is of another installation',
      compare: ['facts.logs.*.origin', 'begins_with', 'issuer.installation'],
    },
    {
      fault: 'a root is not base64 of 32 bytes',
      when: ofSnapshot,
      must: facts({
        properties: {
          logs: { type: 'array', items: { type: 'object', properties: { root_hash: factParts.base64Of32 } } },
        },
      }),
    },
  ],
});

/** A change of an Orb's standing, or the snapshot of a day, as it is attested. */
export type StandingFact = FactOf<typeof standingFact>;

/** A change of an Orb's standing, as it is attested. */
export type StandingChange = Extract<StandingFact, { readonly orb_id: string }>;
