import { exactly, optional } from '../../kernel/index.ts';
import { defineFact, factParts, type FactOf } from '../receipts/contract.ts';

const { digest, factsThat, id, natural, text } = factParts;

/**
 * Declares the fact that a provider of the store was added, changed or removed. The digest covers adapter and
 * configuration; each secret counts in it by a code that only the installation can compute.
 */
export const providerFact = defineFact({
  kind: 'provider',
  predicate: exactly({
    provider: { ...text, description: 'Name of the provider' },
    facts: exactly({
      change: { type: 'string', enum: ['added', 'changed', 'removed'] },
      adapter: { ...text, description: 'Name of the adapter, of a removed provider its last one' },
      config_digest: { ...digest, description: 'Digest of adapter and configuration, without the secrets themselves' },
      replaced: optional({ ...digest, description: 'The digest before the change' }),
      limits: optional({
        description: 'Limits of its calls; absent: no limit',
        ...exactly({
          rate: optional(exactly({ count: natural, window_s: natural })),
          concurrency: optional(natural),
          queue: optional(natural),
        }),
      }),
      principal: { ...id('prn'), description: 'Who changed it' },
    }),
  }),
  subject: ['provider'],
  scopes: ['providers:read', 'providers:manage'],
  rules: [
    {
      fault: 'a change names the digest before it',
      when: factsThat({ properties: { change: { const: 'changed' } } }),
      must: factsThat({ required: ['replaced'] }),
    },
    {
      fault: 'only a change replaces a configuration',
      when: factsThat({ properties: { change: { enum: ['added', 'removed'] } } }),
      must: factsThat({ not: { type: 'object', required: ['replaced'] } }),
    },
  ],
});

/** A change of a provider, as it is attested. */
export type ProviderFact = FactOf<typeof providerFact>;
