import { exactly, optional } from '../../kernel/index.ts';
/** Schema of the configuration of the ledger. */
export const ledgerConfig = exactly({
  profile: optional({
    enum: ['single-org', 'multi-tenant'],
    default: 'single-org',
    description: 'Whom a caller is: `single-org` each principal, `multi-tenant` each tenant',
  }),
  certificate_days: optional({
    type: 'integer',
    minimum: 1,
    maximum: 90,
    default: 30,
    description: 'For how many days certificates are issued',
  }),
  badge_max_age_s: optional({
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: 300,
    description: 'How long a badge may be kept by caches; 0: not at all',
  }),
});
