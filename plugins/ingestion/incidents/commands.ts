import { given, type Command, type CommandCall, type Infer, type Screen } from '../../../kernel/index.ts';
import { apiCommand, listing, painted, Shown } from '../../terminal/contract.ts';
import type { window, evidenceSchema, incidentDetail, incidentSummary } from './model/schema.ts';

type Incident = Infer<typeof incidentSummary> & Partial<Pick<Infer<typeof incidentDetail>, 'changes' | 'notes'>>;
type Evidence = Infer<typeof evidenceSchema>;
type Window = Infer<typeof window>;

const args = [{ name: 'incident_id', description: 'inc_…, as `orb incidents list` shows it' }];

// Options that name subjects; each may be given several times.
const scopeOptions: NonNullable<Command['options']> = [
  { flag: '--component <name>', description: 'runtime, reputation_ledger, observable_engine, ingestion', repeat: true },
  { flag: '--provider <name>', description: 'a provider', repeat: true },
  { flag: '--orb <orb_id>', description: 'an Orb, with its version', repeat: true },
];

type Call = Parameters<typeof apiCommand<Incident>>[0];

// A person's act on one incident.
function act(verb: string, summary: string, more: Partial<Call>): Command {
  const route = `POST /incidents/{incident_id}/${verb}`;
  return apiCommand({ path: `incidents ${verb}`, summary, args, route, show: shown, ...more });
}

const reasoned: Partial<Call> = {
  args: [...args, { name: 'reason', description: 'the reason; recorded in a receipt and visible' }],
  body: ({ args: [, reason = ''] }) => ({ reason }),
};

/** All commands of incidents and of maintenance windows. */
export const incidentCommands: readonly Command[] = [
  apiCommand<{ incidents: readonly Incident[]; next_cursor?: string }>({
    path: 'incidents list',
    summary: 'list incidents, newest first',
    options: [
      { flag: '--state <state>', description: 'open, acknowledged, resolved or unresolved' },
      { flag: '--severity <severity>', description: 'critical, high, warning or info' },
      { flag: '--component <name>', description: 'only incidents of this component' },
      { flag: '--provider <name>', description: 'only incidents of this provider' },
      { flag: '--orb <orb_id>', description: 'only incidents of this Orb' },
      { flag: '--limit <n>', description: 'maximum number of incidents', default: '20' },
    ],
    route: 'GET /incidents',
    query: { orb: 'orb_id' },
    show: ({ incidents }) =>
      listing(
        ['INCIDENT_ID', 'STATE', 'SEVERITY', 'STARTED', 'ENDED', 'AFFECTS', 'TITLE'],
        incidents.map(({ ends_at = '-', ...one }) => [
          ...[one.incident_id, stateOf(one), one.severity, one.starts_at, ends_at, affected(one), one.title],
        ]),
      ),
    hint: ({ next_cursor }) =>
      next_cursor === undefined ? undefined : 'there are more; filter the list or raise --limit',
  }),
  apiCommand<Incident>({
    path: 'incidents show',
    summary: 'show an incident with its changes and notes',
    args,
    route: 'GET /incidents/{incident_id}',
    show: pageOf,
  }),
  apiCommand<Incident>({
    path: 'incidents open',
    summary: 'open an incident manually',
    args: [{ name: 'title', description: 'the title, in a few words' }],
    options: [
      ...scopeOptions,
      { flag: '--severity <severity>', description: 'critical, high, warning or info', default: 'high' },
      { flag: '--starts-at <time>', description: '2h (ago), 2026-01-31 (UTC) or RFC 3339; default: now', time: 'past' },
    ],
    route: 'POST /incidents',
    body: ({ args: [title = ''], options }) =>
      given({ title, severity: options['severity'], scope: scopeOf(options), starts_at: options['startsAt'] }),
    show: shown,
  }),
  act('acknowledge', 'acknowledge an incident; its downtime continues', { body: () => ({}) }),
  act('resolve', 'close an incident; the next alert opens a new one', reasoned),
  act('retract', 'mark an incident as a false positive', { ...reasoned, confirm: 'its downtime no longer counts' }),
  act('note', 'add a note to an incident', {
    route: 'POST /incidents/{incident_id}/notes',
    args: [...args, { name: 'text', description: 'text of the note' }],
    options: [
      { flag: '--public', description: 'make it public, on /status' },
      { flag: '--phase <phase>', description: 'investigating, identified or monitoring; only for a public note' },
    ],
    body: ({ args: [, text = ''], options }) =>
      given({ text, public: options['public'] === true, phase: options['phase'] }),
  }),
  apiCommand<Evidence>({
    path: 'incidents evidence',
    summary: 'show the receipts of an incident, the deliveries behind them and its effect on scores',
    args,
    route: 'GET /incidents/{incident_id}/evidence',
    show: evidenceText,
    hint: () => 'verify each receipt with `orb receipts verify`',
  }),
  apiCommand<{ windows: readonly Window[] }>({
    path: 'maintenance list',
    summary: 'list current and planned maintenance windows',
    route: 'GET /maintenance',
    show: ({ windows }) =>
      listing(
        ['MAINTENANCE_ID', 'STARTS', 'ENDS', 'AFFECTS', 'TITLE'],
        windows.map((one) => [one.maintenance_id, one.starts_at, one.ends_at, affected(one), one.title]),
      ),
  }),
  apiCommand<Window>({
    path: 'maintenance plan',
    summary: 'plan a maintenance window for at least one subject',
    args: [
      { name: 'title', description: 'public title' },
      { name: 'starts_at', description: '30m (from now), now, 2030-01-31 (UTC) or RFC 3339', time: 'future' },
      { name: 'ends_at', description: '2h (from now), 2030-01-31 (UTC) or RFC 3339', time: 'future' },
    ],
    options: scopeOptions,
    route: 'POST /maintenance',
    body: ({ args: [title = '', starts_at = '', ends_at = ''], options }) => ({
      ...{ title, starts_at, ends_at },
      scope: scopeOf(options),
    }),
    show: windowLine,
  }),
  apiCommand({
    path: 'maintenance end',
    summary: 'end a maintenance window, or cancel one that has not started',
    args: [{ name: 'maintenance_id', description: 'mnt_…, as `orb maintenance list` shows it' }],
    route: 'DELETE /maintenance/{maintenance_id}',
    value: ({ args: [maintenance_id] }) => ({ maintenance_id, ended: true }),
    show: (_, { args: [id = ''] }) => `${id} has ended`,
  }),
];

function scopeOf(options: CommandCall['options']): readonly { readonly kind: string; readonly id: string }[] {
  return ['component', 'provider', 'orb'].flatMap((kind) => {
    const named = options[kind];
    return (Array.isArray(named) ? (named as readonly string[]) : []).map((id) => ({ kind, id }));
  });
}

type Scope = Pick<Incident, 'scope'> | Pick<Window, 'scope'>;

function affected({ scope }: Scope): string {
  return scope.length === 0 ? 'nothing' : scope.map(({ kind, id }) => `${kind} ${id}`).join(', ');
}

function stateOf({ retracted, state }: Pick<Incident, 'retracted' | 'state'>): string {
  return retracted ? 'retracted' : state;
}

function shown(incident: Incident): Shown {
  return new Shown((screen) => lineOf(incident, screen));
}

function lineOf(incident: Incident, screen: Screen | undefined): string {
  const { incident_id, severity, starts_at, ends_at, title } = incident;
  const state = painted(stateOf(incident), screen);
  const time = `${starts_at}–${ends_at ?? ''}`;
  return [incident_id, state, painted(severity, screen), time, affected(incident), printable(title)].join('  ');
}

function pageOf(incident: Incident): Shown {
  const { changes = [], notes = [], reason } = incident;
  return new Shown((screen) =>
    [
      lineOf(incident, screen),
      ...(reason === undefined ? [] : [`reason: ${printable(reason)}`]),
      ...changes.map(
        ({ change_number, change, at, state, severity, receipt_id }) =>
          `#${change_number} ${at} ${change}: ${state}, ${severity} (${receipt_id})`,
      ),
      ...notes.map(({ at, principal, text }) => `${at} ${principal}: ${printable(text)}`),
    ].join('\n'),
  );
}

function evidenceText({ incident, receipts, deliveries, debts }: Evidence): Shown {
  return new Shown((screen) =>
    [
      lineOf(incident, screen),
      ...receipts.map(({ receipt_id, change, at, origin, index }) => {
        const where = origin === undefined ? '' : ` at ${index ?? 0} of ${origin}`;
        return `receipt ${receipt_id}: ${change} ${at}${where}`;
      }),
      ...deliveries.map(({ delivery_id, source_id, digest, auth_strength, scheme, raw_kept }) => {
        const by = scheme === undefined ? auth_strength : `${auth_strength}, ${scheme}`;
        return `delivery ${delivery_id} of ${source_id}: ${digest} (${by}${raw_kept ? '' : ', body dropped'})`;
      }),
      ...debts.map(({ orb_id, debt_milli, snapshot_day }) => `debt ${orb_id}: ${debt_milli / 1000} on ${snapshot_day}`),
    ].join('\n'),
  );
}

function windowLine(window: Window): string {
  const { maintenance_id, title, starts_at, ends_at } = window;
  return [maintenance_id, `${starts_at}–${ends_at}`, affected(window), printable(title)].join('  ');
}

// Removes control and format characters that could manipulate a terminal.
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
