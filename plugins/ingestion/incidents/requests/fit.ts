import { PlatformError } from '../../../../kernel/index.ts';
import type { Act, IncidentRecord } from '../model/record.ts';
import { problems } from '../../problems.ts';

/** Throws if the state of an incident does not allow the decision of a person. */
export function refuseUnfit(kind: Act['kind'], { incident_id, kind: raised, facts, retracted }: IncidentRecord): void {
  // One without a receipt says that entries of the log are lost: no audit can find them again.
  if (raised === 'integrity' && facts.receipt_id !== undefined && kind !== 'acknowledged')
    throw new PlatformError(
      problems.integrity_incident,
      `the incident ${incident_id} reports that the receipt ${facts.receipt_id} does not verify; the auditor closes it when the receipt verifies`,
    );
  if (retracted) throw new PlatformError(problems.incident_conflict, `the incident ${incident_id} is retracted`);
  if (facts.state === 'resolved' && kind !== 'retracted')
    throw new PlatformError(problems.incident_conflict, `the incident ${incident_id} is resolved`);
}
