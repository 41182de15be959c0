import { definePlugin, grouped } from '../../kernel/index.ts';
import { approvals } from '../approvals/contract.ts';
import { incidents } from '../ingestion/contract.ts';
import { policyHistory } from '../policy/contract.ts';
import { receiptArchive } from '../receipts/contract.ts';
import { runtime } from '../runtime/contract.ts';
import { auditCommands } from './commands.ts';
import { profileCheck, profiles } from './profile.ts';
import { exportRoute } from './route.ts';

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    profile: {
      type: 'string',
      enum: profiles,
      description:
        'Refuses a configuration that keeps records for too short: with `six-months`, `retention_days` of policy, ingestion, subscriptions and observability and `retention.reasons_days` of receipts must be at least 183. Default: no such check',
    },
    most_receipts: {
      type: 'integer',
      minimum: 1,
      default: 1_000_000,
      description: 'Maximum number of receipts in one archive of evidence; what is left out is named in it',
    },
  },
} as const;

/** Exports the evidence of a time as one archive that anyone can verify offline. */
export default definePlugin({
  name: 'audit',
  config,
  scopes: { 'audit:export': { title: "Export the tenant's evidence: receipts, decisions and approvals of a time" } },
  requires: { runtime, receiptArchive },
  uses: { policyHistory, approvals, incidents },
  files: profileCheck,
  commands: grouped(
    [{ name: 'audit', task: 'verify', summary: 'export and verify evidence for an auditor' }],
    auditCommands,
  ),
  start({ clock, config: { most_receipts: most }, services, store }) {
    const { approvals: asked, incidents: troubles, policyHistory: policy, receiptArchive: receipts } = services;
    const sources = { receipts, runtime: services.runtime, policy, approvals: asked, incidents: troubles, most };
    return { routes: [exportRoute({ ...sources, clock, installation: store.installation })] };
  },
});
