import { given, operation, timestamp, type Awaitable, type Operation } from '../../../../kernel/index.ts';
import { incidentChanged, type IncidentChanged } from '../../contract.ts';
import type { IncidentFact } from '../../fact.ts';
import type { DeliveryRef } from '../model/event.ts';
import { incidentPart } from '../store/store-part.ts';
import type { Memory } from '../cluster/memory.ts';
import type { Change, Plan } from '../cluster/plan.ts';
import type { IncidentScope } from '../store/scope.ts';
import type { IncidentRecord } from '../model/record.ts';
import type { Assigned } from '../store/writing.ts';

/** Data that is committed together with a change. */
interface Along {
  readonly key: string;
  /** Events that are assigned to the incident from now on. */
  readonly assigned: readonly Assigned[];
  /** Writes that commit with the first receipt. */
  readonly extra: readonly Operation[];
}

// A statement has at most 16 KB: the scope and the deliveries (about 210 bytes each, at most 50) must fit.
function listedAtOnce({ facts: { scope } }: Change): number {
  const left = 12_000 - Buffer.byteLength(JSON.stringify(scope));
  return Math.min(50, Math.max(1, Math.floor(left / 210)));
}

/**
 * Attests one change, in several entries when it lists many deliveries. The rows commit with the receipt; the event is
 * sent only after that. Returns the incident after each entry.
 */
export async function attestChange(change: Change, { key, assigned, extra }: Along, scope: AttestScope) {
  const { platform, calls, clock } = scope;
  const records: IncidentRecord[] = [];
  for (const [index, deliveries] of portions(change.deliveries, listedAtOnce(change)).entries()) {
    const before = records.at(-1) ?? change.before;
    const at = timestamp(clock.now());
    const fact = factOf(change, before, deliveries, at);
    const first = index === 0;
    const row = (receipt_id: string): Omit<IncidentRecord, 'deliveries'> => ({
      incident_id: change.incident_id,
      key,
      kind: change.before?.kind ?? change.desired?.kind ?? 'alerts',
      change_number: fact.facts.change_number,
      retracted: change.change === 'retracted',
      ...given({ merged_into: change.before?.merged_into }),
      facts: change.facts,
      shown: change.shown,
      updated_at: at,
      receipt_id,
    });
    const { receipt_id } = await platform.attest({
      fact,
      // An event is written first: its row gets the incident.
      operations: (receiptId) => [
        ...(first ? extra : []),
        operation(incidentPart, 'applyChange', {
          record: row(receiptId),
          change: fact.facts.change,
          deliveries,
          assigned: first ? assigned : [],
          takes: first ? change.takes : [],
        }),
      ],
    });
    records.push({ ...row(receipt_id), deliveries: [...(before?.deliveries ?? []), ...deliveries] });
    calls.tell(incidentChanged, eventOf(fact, receipt_id));
  }
  return records;
}

/** What belongs to a plan; its writes commit alone when there is no receipt. */
interface PlanAlong extends Omit<Along, 'assigned'> {
  /** Takes what is committed. */
  readonly memory: Pick<Memory, 'assign' | 'keep' | 'moveActs'>;
}

/** What changes are attested with. */
export interface AttestScope extends Pick<IncidentScope, 'platform' | 'calls' | 'clock' | 'store'> {
  /** Called after every committed change of an incident or of its view. */
  readonly changed: (record: IncidentRecord) => Awaitable<void>;
}

/** Attests the changes of a plan, one after another. */
export async function attestPlan(plan: Plan, { extra, key, memory }: PlanAlong, scope: AttestScope): Promise<void> {
  let parts = extra;
  for (const change of plan.changes) {
    const assigned = plan.assigned.filter(({ incident_id }) => incident_id === change.incident_id);
    const attested = await attestChange(change, { key, assigned, extra: parts }, scope);
    parts = [];
    for (const record of attested) memory.keep(record);
    memory.assign(assigned);
    for (const taken of change.takes) memory.moveActs(taken, change.incident_id);
    for (const record of attested.slice(-1)) await scope.changed(record);
  }
  if (parts.length > 0) await scope.store.write(parts);
}

function eventOf({ incident_id, at, facts }: IncidentFact, receipt_id: string): IncidentChanged {
  const { change, state, severity, scope } = facts;
  return { incident_id, change, state, severity, scope, receipt_id, at };
}

function factOf(
  change: Change,
  before: IncidentRecord | undefined,
  deliveries: readonly DeliveryRef[],
  at: string,
): IncidentFact {
  const { incident_id, facts } = change;
  return {
    kind: 'incident',
    at,
    incident_id,
    facts: {
      change: change.change === 'opened' && before !== undefined ? 'changed' : change.change,
      change_number: (before?.change_number ?? 0) + 1,
      ...facts,
      deliveries,
    },
  };
}

function portions(deliveries: readonly DeliveryRef[], size: number): readonly (readonly DeliveryRef[])[] {
  const parts: DeliveryRef[][] = [];
  for (let at = 0; at < deliveries.length; at += size) parts.push(deliveries.slice(at, at + size));
  return parts.length === 0 ? [[]] : parts;
}
