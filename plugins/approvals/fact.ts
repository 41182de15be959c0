import { exactly, optional } from '../../kernel/index.ts';
import { defineFact, factParts, type FactOf } from '../receipts/contract.ts';
import { bound } from '../runtime/contract.ts';

const { digest, factsThat, id, text } = factParts;

/** How a person that decides was known. */
export const authentications = ['key', 'session', 'link'] as const;

/** Where a person decides. */
export const surfaces = ['api', 'console', 'page'] as const;

/**
 * Declares the fact that a person decided on a held run: who, how known, where, and on exactly what. `bound` is what was
 * approved; `digest` is the SHA-256 of its canonical form, and the receipt of the run names it.
 */
export const approvalFact = defineFact({
  kind: 'approval',
  predicate: exactly({
    tenant: text,
    approval_id: id('apr'),
    facts: exactly({
      decision: { type: 'string', enum: ['approve', 'refuse'] },
      state: { type: 'string', enum: ['open', 'approved', 'refused'], description: 'Of the approval, after it' },
      digest: { ...digest, description: 'SHA-256 of `bound` in canonical form (RFC 8785)' },
      bound,
      principal: { ...id('prn'), description: 'Who decided' },
      groups: { type: 'array', minItems: 1, items: text, description: 'The asked groups to which it belongs' },
      auth: { type: 'string', enum: authentications, description: 'How it was known' },
      surface: { type: 'string', enum: surfaces, description: 'Where it decided' },
      comment: optional({
        ...exactly({ commitment: digest, size: { type: 'integer', minimum: 1 } }),
        description: 'Salted digest of its words',
      }),
    }),
  }),
  subject: ['approval_id'],
  scopes: ['runs:approve'],
  rules: [
    { fault: 'a person approved a run of its own', compare: ['facts.principal', 'differs', 'facts.bound.principal'] },
    {
      fault: 'a refusal refuses',
      when: factsThat({ properties: { decision: { const: 'refuse' } } }),
      must: factsThat({ properties: { state: { const: 'refused' } } }),
    },
    {
      fault: 'an approval refuses nothing',
      when: factsThat({ properties: { decision: { const: 'approve' } } }),
      must: factsThat({ properties: { state: { enum: ['open', 'approved'] } } }),
    },
  ],
});

/** A decision on a held run, as it is attested. */
export type ApprovalFact = FactOf<typeof approvalFact>;
