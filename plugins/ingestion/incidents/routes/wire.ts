import { PlatformError } from '../../../../kernel/index.ts';
import { componentNames } from '../../contract.ts';
import { worst } from '../cluster/severity.ts';
import type { AlertEvent } from '../cluster/event.ts';
import type { IncidentReads, IncidentRow } from '../store/reading.ts';
import { viewOf } from '../view.ts';
import { problems } from '../../problems.ts';

export const text = { type: 'string' } as const;
export const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;
export const states = { type: 'string', enum: ['open', 'acknowledged', 'resolved'] } as const;
export const severities = { type: 'string', enum: ['critical', 'high', 'warning', 'info'] } as const;
const phases = { type: 'string', enum: ['investigating', 'identified', 'monitoring', 'resolved'] } as const;

/** Schema of one subject. */
export const subject = {
  title: 'IncidentSubject',
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'id'],
  properties: {
    kind: { type: 'string', enum: ['component', 'provider', 'orb'], description: 'Kind of subject' },
    id: { type: 'string', minLength: 1, maxLength: 200, description: `Of a component: ${componentNames.join(', ')}` },
  },
} as const;

/** Schema of the scope that a person gives. */
export const wishedScope = { type: 'array', minItems: 1, maxItems: 20, items: subject } as const;

/** Schema of a path with an incident's id. */
export const incidentParams = {
  type: 'object',
  additionalProperties: false,
  required: ['incident_id'],
  properties: { incident_id: { type: 'string', maxLength: 64, description: 'Id of the incident' } },
} as const;

const stretch = {
  title: 'IncidentStretch',
  type: 'object',
  required: ['from', 'severity'],
  properties: {
    from: { ...text, description: 'Begin' },
    to: { ...text, description: 'End' },
    severity: { ...severities, description: 'How bad it is' },
  },
} as const;

/** Schema of one incident in a list. */
export const incidentSummary = {
  $id: 'Incident',
  type: 'object',
  required: [
    'incident_id',
    'kind',
    'state',
    'retracted',
    'phase',
    'severity',
    'impact',
    'scope',
    'title',
    'starts_at',
    'updated_at',
    'corroborated',
    'flapping',
    'reopen_count',
    'change_number',
    'receipt_id',
  ],
  properties: {
    incident_id: { ...text, description: 'Id of the incident' },
    kind: {
      type: 'string',
      enum: ['alerts', 'weak', 'operator', 'integrity', 'measured'],
      description: 'What opened it',
    },
    state: { ...states, description: 'State now' },
    retracted: { type: 'boolean', description: 'A false positive, or joined with another' },
    phase: { ...phases, description: 'Where the work stands' },
    severity: { ...severities, description: 'The worst it has been' },
    impact: {
      type: 'string',
      enum: ['major_outage', 'partial_outage', 'degraded_performance', 'none'],
      description: 'What it means for the services',
    },
    scope: { type: 'array', items: subject, description: 'Empty: a weak alert, which concerns nobody' },
    title: { type: 'string', description: 'Words of the vendor or the operator' },
    starts_at: { ...text, description: 'When it began' },
    ends_at: { ...text, description: 'When it was over' },
    acknowledged_at: { ...text, description: 'When somebody took it up' },
    updated_at: { ...text, description: 'When it last changed' },
    resolution: {
      type: 'string',
      enum: ['recovered', 'expired', 'suppressed', 'manual'],
      description: 'Why it is over',
    },
    reason: { type: 'string', description: 'Why a person resolved it, or why it is retracted; `integrity`' },
    principal: { type: 'string', description: 'The person whose word its state is' },
    failing_receipt_id: { type: 'string', description: 'The receipt that does not verify' },
    merged_into: { ...text, description: 'The incident that it became part of' },
    corroborated: { type: 'boolean', description: 'At least two sources say so' },
    flapping: { type: 'boolean', description: 'Whether it opens and closes often' },
    reopen_count: { type: 'integer', description: 'How often it opened again' },
    change_number: { type: 'integer', description: 'Number of its last change' },
    receipt_id: { type: 'string', description: 'Attests the last change' },
  },
} as const;

/** Schema of one incident with all that is known of it. */
export const incidentDetail = {
  $id: 'IncidentDetail',
  allOf: [
    incidentSummary,
    {
      type: 'object',
      required: ['stretches', 'alerts', 'notes', 'changes'],
      properties: {
        stretches: { type: 'array', description: 'When it was how bad', items: stretch },
        alerts: {
          type: 'array',
          description: 'The alerts it is made of',
          items: {
            type: 'object',
            required: ['fingerprint', 'vendor', 'state', 'severity', 'title', 'rule', 'first_at', 'last_at', 'events'],
            properties: {
              fingerprint: { ...text, description: 'Names the episode' },
              source_id: { ...text, description: 'Id of the source' },
              vendor: { ...text, description: 'Name of the vendor' },
              state: { ...text, description: 'State now' },
              severity: { ...text, description: 'The worst it has been' },
              title: { ...text, description: 'Title of the alert' },
              url: { ...text, description: 'Address at the vendor' },
              rule: { ...text, description: 'How its subject was found' },
              first_at: { ...text, description: 'First signal' },
              last_at: { ...text, description: 'Last signal' },
              events: { type: 'integer', description: 'Number of signals' },
            },
          },
        },
        notes: {
          type: 'array',
          description: 'What people wrote',
          items: {
            type: 'object',
            required: ['note_id', 'incident_id', 'at', 'principal', 'text', 'public'],
            properties: {
              note_id: { ...text, description: 'Id of the note' },
              incident_id: { ...text, description: 'Id of the incident' },
              at: { ...text, description: 'When it happened' },
              principal: { ...text, description: 'Id of who did it, `prn_<ulid>`' },
              text: { ...text, description: 'What was written' },
              public: { type: 'boolean', description: 'Whether /status shows it' },
              phase: { ...phases, description: 'Where the work stood' },
            },
          },
        },
        changes: {
          type: 'array',
          description: 'What was attested of it',
          items: {
            type: 'object',
            required: ['change_number', 'change', 'at', 'receipt_id', 'state', 'severity'],
            properties: {
              change_number: { type: 'integer', description: 'Number of the change, from 1' },
              change: { type: 'string', enum: ['opened', 'changed', 'retracted'], description: 'What changed' },
              at: { ...text, description: 'When it happened' },
              receipt_id: { ...text, description: 'Id of the receipt' },
              state: { ...states, description: 'State now' },
              severity: { ...severities, description: 'How bad it is' },
              principal: { ...text, description: 'Id of who did it, `prn_<ulid>`' },
              reason: { ...text, description: 'Why' },
            },
          },
        },
      },
    },
  ],
} as const;

/** Shows an incident to a key that may read it. */
export function summaryOf(row: IncidentRow): object {
  const { stretches: _, updates: __, ...view } = viewOf(row, []);
  const { facts, shown, merged_into } = row;
  return {
    ...view,
    title: shown.title,
    ...(shown.ending === undefined || facts.state !== 'resolved' ? {} : { resolution: shown.ending }),
    ...(facts.reason === undefined ? {} : { reason: facts.reason }),
    ...(facts.principal === undefined ? {} : { principal: facts.principal }),
    ...(facts.receipt_id === undefined ? {} : { failing_receipt_id: facts.receipt_id }),
    ...(merged_into === undefined ? {} : { merged_into }),
    change_number: row.change_number,
    receipt_id: row.receipt_id,
  };
}

/** Shows an incident with its alerts, notes and changes. */
export function detailOf(row: IncidentRow, reads: IncidentReads): object {
  const notes = reads.notes(row.incident_id);
  return {
    ...summaryOf(row),
    phase: viewOf(row, notes).phase,
    stretches: row.shown.stretches,
    alerts: alertsOf(reads.eventsOf(row.incident_id)),
    notes,
    changes: reads.changes(row.incident_id).map(({ change_number, change, at, receipt_id, facts }) => ({
      change_number,
      change,
      at,
      receipt_id,
      state: facts.state,
      severity: facts.severity,
      ...(facts.principal === undefined ? {} : { principal: facts.principal }),
      ...(facts.reason === undefined ? {} : { reason: facts.reason }),
    })),
  };
}

function alertsOf(events: readonly AlertEvent[]): readonly object[] {
  const alerts = new Map<string, AlertEvent[]>();
  for (const event of events) alerts.set(event.fingerprint, [...(alerts.get(event.fingerprint) ?? []), event]);
  return [...alerts.values()].slice(0, mostAlerts).map((own) => {
    const [first] = own;
    const last = own.at(-1);
    if (first === undefined || last === undefined) throw new TypeError('an alert has an event');
    const told = own.findLast(({ state }) => state !== 'info' && state !== 'unknown') ?? last;
    return {
      fingerprint: first.fingerprint,
      ...(first.delivery === undefined ? {} : { source_id: first.delivery.source_id }),
      vendor: first.vendor,
      state: told.state,
      severity: worst(own.map(({ severity }) => (severity === 'debug' ? 'info' : severity))),
      title: last.title,
      ...(last.url === undefined ? {} : { url: last.url }),
      rule: first.rule,
      first_at: new Date(first.occurred_ms).toISOString(),
      last_at: new Date(last.occurred_ms).toISOString(),
      events: own.length,
    };
  });
}

const mostAlerts = 100;

/** Finds an incident, or throws 404. */
export function getIncident(reads: IncidentReads, id: string): IncidentRow {
  const row = reads.incident(id);
  if (row === undefined) throw new PlatformError(problems.incident_not_found, `there is no incident ${id}`);
  return row;
}

/** Refuses a component that there is not: 422 `invalid_body`. */
export function checkScope(scope: readonly { readonly kind: string; readonly id: string }[]): void {
  for (const [index, { kind, id }] of scope.entries()) {
    if (kind !== 'component' || (componentNames as readonly string[]).includes(id)) continue;
    const detail = `${id} is no component; there are ${componentNames.join(', ')}`;
    throw new PlatformError('invalid_body', detail, { errors: [{ pointer: `#/scope/${index}/id`, detail }] });
  }
}
