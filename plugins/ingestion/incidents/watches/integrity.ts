import { given, timestamp } from '../../../../kernel/index.ts';
import type { AuditFinding } from '../../../receipts/contract.ts';
import { ownEvent } from '../model/event.ts';
import type { AskScope, IncidentScope } from '../store/scope.ts';
import { createReports } from './reports.ts';

/**
 * Opens an incident for each receipt that does not verify, and closes it when the receipt verifies; it cannot be closed
 * in any other way.
 */
export function watchIntegrity({ ask, auditor, clock, log, reads, transparency }: AskScope) {
  const reports = createReports<AuditFinding>(
    async (finding) => (await isNews(finding, reads)) && ask({ kind: 'finding', finding }),
    (err, receipt_id) => log.warn({ err, receipt_id }, 'an integrity incident could not be recorded'),
  );
  const note = (finding: AuditFinding): void => reports.note(finding.receipt_id, finding);
  let stopListening = (): void => undefined;
  return {
    /** Takes the auditor's current findings and subscribes to new ones. */
    async start(): Promise<void> {
      const open = (await reads.open()).filter(({ kind }) => kind === 'integrity');
      stopListening = auditor.onFinding(note);
      const failing = auditor.failing();
      failing.forEach(note);
      // The receipt may have been repaired while this plugin was stopped; only a full verification proves it.
      for (const { receipt_id, scope } of open.map(({ facts }) => facts)) {
        if (receipt_id === undefined || failing.some((finding) => finding.receipt_id === receipt_id)) continue;
        if (!(await transparency.verifies(receipt_id))) continue;
        const cleared = { receipt_id, state: 'cleared', verdicts: [], at: timestamp(clock.now()) } as const;
        note({ ...cleared, ...given({ orb_id: scope[0]?.id }) });
      }
      reports.start();
    },
    settled: reports.settled,
    async stop(): Promise<void> {
      stopListening();
      await reports.stop();
    },
  };
}

/** Makes the event of a finding; undefined when its incident is open or closed already. */
export async function findingEvent(finding: AuditFinding, { ids, reads }: IncidentScope) {
  if (!(await isNews(finding, reads))) return undefined;
  const { at, orb_id, receipt_id, state, verdicts } = finding;
  const key = keyOf(finding);
  return ownEvent(ids, {
    ...{ fingerprint: key, key, occurred_ms: Date.parse(at), receipt_id },
    state: state === 'failing' ? 'firing' : 'resolved',
    severity: 'critical',
    scope: orb_id === undefined ? [] : [{ kind: 'orb', id: orb_id }],
    rule: 'auditor',
    vendor: 'auditor',
    title: `receipt ${receipt_id} does not verify${verdicts.length === 0 ? '' : `: ${verdicts.join(', ')}`}`,
  });
}

async function isNews(finding: AuditFinding, reads: AskScope['reads']): Promise<boolean> {
  const known = await reads.incidents(keyOf(finding));
  const isOpen = known.some(({ facts, retracted }) => !retracted && facts.state !== 'resolved');
  return isOpen !== (finding.state === 'failing');
}

function keyOf({ receipt_id }: AuditFinding): string {
  return `receipt:${receipt_id}`;
}
