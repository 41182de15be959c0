/** An incident as the server answers it. */
export interface ShownIncident {
  readonly incident_id: string;
  readonly kind: string;
  readonly state: string;
  readonly retracted: boolean;
  readonly severity: string;
  readonly scope: readonly { readonly kind: string; readonly id: string }[];
  readonly title: string;
  readonly starts_at: string;
  readonly ends_at?: string;
  readonly reason?: string;
  readonly receipt_id: string;
  readonly notes?: readonly { readonly at: string; readonly principal: string; readonly text: string }[];
  readonly changes?: readonly {
    readonly change_number: number;
    readonly change: string;
    readonly at: string;
    readonly state: string;
    readonly severity: string;
    readonly receipt_id: string;
    readonly reason?: string;
  }[];
}

/** Writes an incident as one line. */
export function lineOf(incident: ShownIncident): string {
  const { incident_id, severity, starts_at, ends_at, scope, title } = incident;
  const state = incident.retracted ? 'retracted' : incident.state;
  const about = scope.length === 0 ? 'nobody' : scope.map(({ kind, id }) => `${kind} ${id}`).join(', ');
  const words = [incident_id, state, severity, `${starts_at}–${ends_at ?? ''}`, about, printable(title)];
  return words.join('  ');
}

/** Writes an incident with its changes and notes. */
export function pageOf(incident: ShownIncident): string {
  const { changes = [], notes = [], reason } = incident;
  return [
    lineOf(incident),
    ...(reason === undefined ? [] : [`reason: ${printable(reason)}`]),
    ...changes.map(
      ({ change_number, change, at, state, severity, receipt_id }) =>
        `#${change_number} ${at} ${change}: ${state}, ${severity} (${receipt_id})`,
    ),
    ...notes.map(({ at, principal, text }) => `${at} ${principal}: ${printable(text)}`),
  ].join('\n');
}

/** Takes out of a text what could steer a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
