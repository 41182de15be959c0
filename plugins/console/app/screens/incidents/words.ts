import { html } from '../../frame/html.ts';
import { Status } from '../../parts/status.ts';
import type { Incident, Subject } from '../../frame/wire.ts';

const severities: Readonly<Record<string, 'bad' | 'warn' | 'none'>> = { critical: 'bad', high: 'bad', warning: 'warn' };

/** Shows how bad it is. */
export function Severity({ of }: { readonly of: string }) {
  return html`<${Status} of=${of} tone=${severities[of] ?? 'none'} />`;
}

/** Shows whether an incident is open, acknowledged or over. */
export function State({ of: { state, retracted, merged_into } }: { readonly of: Incident }) {
  if (merged_into !== undefined) return html`<${Status} of="merged" tone="none" />`;
  if (retracted) return html`<${Status} of="retracted" tone="none" />`;
  const tones = { open: 'bad', acknowledged: 'warn', resolved: 'good' } as const;
  return html`<${Status} of=${state} tone=${tones[state]} />`;
}

/** The types of the events that change incidents. */
export const incidentEvents = [
  'incident.opened',
  'incident.changed',
  'incident.resolved',
  'incident.retracted',
] as const;

/** The components, with their names for people. */
export const components = [
  ['runtime', 'Runtime'],
  ['reputation_ledger', 'Reputation ledger'],
  ['observable_engine', 'Observability'],
  ['ingestion', 'Ingestion'],
] as const;

/** Names a subject for people. */
export function nameOf({ kind, id }: Subject): string {
  if (kind !== 'component') return `${kind} ${id}`;
  return components.find(([name]) => name === id)?.[1] ?? id;
}

/** Writes the subjects of something; an incident of a weak alert has none. */
export function scopeText(scope: readonly Subject[]): string {
  return scope.length === 0 ? 'no subject' : scope.map(nameOf).join(', ');
}
