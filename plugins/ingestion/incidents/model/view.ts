import { impactOf, type Impact, type IncidentView, type Interval, type Phase } from '../../contract.ts';
import type { PublicUpdate, Subject } from '../../contract.ts';
import type { Note } from './schema.ts';
import type { IncidentRow } from './record.ts';

/** Shows an incident to everybody, without a vendor's words. `notes`: its notes, oldest first. */
export function viewOf(row: IncidentRow, notes: readonly Note[]): IncidentView {
  const { incident_id, kind, retracted, updated_at } = row;
  const { principal: _, reason: __, receipt_id: ___, ...facts } = row.facts;
  const { title: ____, ending: _____, ...shown } = row.shown;
  const told = notes.filter((note) => note.public);
  return {
    ...{ incident_id, kind, retracted, updated_at },
    ...{ ...facts, ...shown, phase: phaseOf(row, told), impact: impactNow(row) },
    updates: told.map(({ at, text, phase }): PublicUpdate => ({ at, phase: phase ?? shown.phase, message: text })),
  };
}

// Returns the current impact on the subjects: `none` once the incident is over.
function impactNow({ facts, shown, retracted }: IncidentRow): Impact {
  if (retracted || facts.state === 'resolved') return 'none';
  const last = shown.stretches.at(-1);
  return last?.impact ?? impactOf(last?.severity ?? facts.severity);
}

// Returns the phase of the newest note that names one, as long as the incident is not over.
function phaseOf({ facts, shown }: IncidentRow, told: readonly Note[]): Phase {
  if (facts.state === 'resolved') return 'resolved';
  return told.findLast(({ phase }) => phase !== undefined)?.phase ?? shown.phase;
}

/** Returns the periods of an incident within [from, to), as intervals of a subject. */
export function intervalsOf(row: IncidentRow, from: string, to: string): readonly Interval[] {
  const inside = row.shown.stretches.filter((stretch) => stretch.from < to && (stretch.to ?? '~') > from);
  return inside.map((stretch) => ({
    kind: 'incident',
    incident_id: row.incident_id,
    impact: stretch.impact ?? impactOf(stretch.severity),
    severity: stretch.severity,
    from: stretch.from < from ? from : stretch.from,
    ...(stretch.to === undefined ? {} : { to: stretch.to > to ? to : stretch.to }),
  }));
}

/** Says whether a scope names a subject. */
export function concerns(scope: readonly Subject[], { kind, id }: Subject): boolean {
  return scope.some((own) => own.kind === kind && own.id === id);
}
