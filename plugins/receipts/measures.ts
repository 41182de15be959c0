import type { Metrics } from '../../kernel/index.ts';
import type { RunningAuditor } from './audit/auditor.ts';
import type { KeyChanged } from './keys/key-schema.ts';
import type { LogReads } from './log/stored/tables.ts';

/** Registers what is measured of receipts; answers what counts a change of the signing keys. */
export function registerMeasures(
  metrics: Metrics,
  reads: Pick<LogReads, 'logs'>,
  auditor: Pick<RunningAuditor, 'behind' | 'service' | 'verified'>,
): (changed: KeyChanged) => void {
  metrics.collect('orb_receipts_log_entries', 'Entries of the log, by shard', 'gauge', () =>
    reads.logs().map(({ shard, size }) => ({ labels: { shard }, value: size })),
  );
  metrics.collect('orb_receipts_audited_total', 'Receipts that the auditor verified', 'counter', () => [
    { labels: {}, value: auditor.verified() },
  ]);
  metrics.gauge('orb_receipts_audit_behind', 'Receipts that the auditor has not verified yet', () => auditor.behind());
  metrics.gauge('orb_receipts_failing', 'Receipts that do not verify', () => auditor.service.failing().length);
  const changes = metrics.counter('orb_signing_key_changes_total', 'Changes of signing keys', ['role', 'change']);
  return ({ role, successor_kid }) =>
    changes.inc({ role, change: successor_kid === undefined ? 'rotated' : 'revoked' });
}
