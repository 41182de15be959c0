import { given, timestamp } from '../../../../kernel/index.ts';
import { componentNames } from '../../contract.ts';
import { severityOf, worst } from '../model/severity.ts';
import type { AlertEvent } from '../model/event.ts';
import type { IncidentReads } from '../store/reading.ts';
import type { IncidentScope } from '../store/scope.ts';
import type { IncidentRow } from '../model/record.ts';
import { unfit } from './checks.ts';
import { viewOf } from '../model/view.ts';
import type { IncidentActs } from './incident-acts.ts';
import { incidentDetail, incidentParams } from '../model/schema.ts';

/** Shows an incident to callers with a key that may read it. */
export function summaryOf(row: IncidentRow): object {
  const { stretches: _, updates: __, ...view } = viewOf(row, []);
  const { facts, shown, merged_into } = row;
  return {
    ...view,
    title: shown.title,
    ...given({ resolution: facts.state === 'resolved' ? shown.ending : undefined, reason: facts.reason }),
    ...given({ principal: facts.principal, failing_receipt_id: facts.receipt_id, merged_into }),
    change_number: row.change_number,
    receipt_id: row.receipt_id,
  };
}

/** Shows an incident with its alerts, notes and changes. */
export async function detailOf(row: IncidentRow, reads: IncidentReads): Promise<object> {
  const notes = await reads.notes(row.incident_id);
  const changes = await reads.changes(row.incident_id);
  return {
    ...summaryOf(row),
    phase: viewOf(row, notes).phase,
    stretches: row.shown.stretches,
    alerts: alertsOf(await reads.eventsOf(row.incident_id)),
    notes,
    changes: changes.map(({ change_number, change, at, receipt_id, facts }) => {
      const { state, severity, principal, reason } = facts;
      return given({ change_number, change, at, receipt_id, state, severity, principal, reason });
    }),
  };
}

function alertsOf(events: readonly AlertEvent[]): readonly object[] {
  const alerts = [...Map.groupBy(events, ({ fingerprint }) => fingerprint).values()];
  return alerts.slice(0, mostAlerts).map((own) => {
    const [first] = own;
    const last = own.at(-1);
    if (first === undefined || last === undefined) throw new TypeError('an alert has an event');
    const told = own.findLast(({ state }) => state !== 'info' && state !== 'unknown') ?? last;
    return given({
      fingerprint: first.fingerprint,
      source_id: first.delivery?.source_id,
      vendor: first.vendor,
      state: told.state,
      severity: worst(own.map(({ severity }) => severityOf(severity))),
      title: last.title,
      url: last.url,
      rule: first.rule,
      first_at: timestamp(first.occurred_ms),
      last_at: timestamp(last.occurred_ms),
      events: own.length,
    });
  });
}

const mostAlerts = 100;

/** Refuses an unknown component: throws 422 `invalid_body`. */
export function checkScope(scope: readonly { readonly kind: string; readonly id: string }[]): void {
  for (const [index, { kind, id }] of scope.entries()) {
    if (kind !== 'component' || (componentNames as readonly string[]).includes(id)) continue;
    const detail = `${id} is not a component; the components are ${componentNames.join(', ')}`;
    throw unfit(`#/scope/${index}/id`, detail);
  }
}

/** What the routes of incidents work with. */
export interface RouteScope extends IncidentScope {
  readonly acts: IncidentActs;
}

/** Members shared by all routes that read incidents. */
export const read = { service: 'ingest', scope: 'incidents:read' } as const;

/** Members shared by all routes that change incidents or windows. */
export const manage = { service: 'ingest', scope: 'incidents:manage', live: true } as const;

/** Members shared by all routes that change one incident. */
export const act = { ...manage, method: 'POST', params: incidentParams, response: incidentDetail } as const;
