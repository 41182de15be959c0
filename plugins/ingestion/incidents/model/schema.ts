import { exactly, optional, type Exactly, plainText, type Answered, type Infer } from '../../../../kernel/index.ts';
import { componentNames } from '../../contract.ts';
import { authStrengths } from '../../signals/words.ts';
import {
  changes,
  impacts,
  incidentKinds,
  incidentSeverities,
  incidentStates,
  phases,
  subjectKinds,
  type Phase,
} from '../../fact.ts';

/** Text in an answer. */
export const text = { type: 'string' } as const;
/** A time that a caller sends. */
export const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;
const states = { type: 'string', enum: incidentStates } as const;
const severities = { type: 'string', enum: incidentSeverities } as const;
const phase = { type: 'string', enum: phases } as const;

const subject = exactly('IncidentSubject', {
  kind: { type: 'string', enum: subjectKinds, description: 'Kind of subject' },
  id: { type: 'string', minLength: 1, maxLength: 200, description: `Of a component: ${componentNames.join(', ')}` },
});

// Each part of an `allOf` validates the members of the others too, so no part may be closed.
const open = <P>({ additionalProperties: _, ...schema }: Exactly<P>) => schema;

const wishedScope = { type: 'array', minItems: 1, maxItems: 20, items: subject } as const;

/** Schema of a path with an incident's id. */
export const incidentParams = exactly({
  incident_id: { type: 'string', maxLength: 64, description: 'Id of the incident' },
});

const stretch = exactly('IncidentStretch', {
  from: { ...text, description: 'Begin' },
  to: optional({ ...text, description: 'End' }),
  severity: { ...severities, description: 'Severity' },
  impact: optional({ type: 'string', enum: impacts, description: 'Status on /status, if the source sets one' }),
});

/** Schema of one incident in a list. */
export const incidentSummary = open(
  exactly('Incident', {
    incident_id: { ...text, description: 'Id of the incident' },
    kind: { type: 'string', enum: incidentKinds, description: 'What opened it' },
    state: { ...states, description: 'Current state' },
    retracted: { type: 'boolean', description: 'A false positive, or merged with another incident' },
    phase: { ...phase, description: 'Progress of the work' },
    severity: { ...severities, description: 'Highest severity so far' },
    impact: { type: 'string', enum: impacts, description: 'Impact on the services' },
    scope: { type: 'array', items: subject, description: 'Empty: a weak alert without a subject' },
    title: { type: 'string', description: 'Title by the vendor or the operator' },
    starts_at: { ...text, description: 'When it started' },
    ends_at: optional({ ...text, description: 'When it ended' }),
    acknowledged_at: optional({ ...text, description: 'When it was acknowledged' }),
    updated_at: { ...text, description: 'When it last changed' },
    resolution: optional({
      type: 'string',
      enum: ['recovered', 'expired', 'suppressed', 'manual'],
      description: 'Why it ended',
    }),
    reason: optional({ type: 'string', description: 'Why a person resolved it, or why it is retracted; `integrity`' }),
    principal: optional({ type: 'string', description: 'The person who set its state' }),
    failing_receipt_id: optional({ type: 'string', description: 'The receipt that does not verify' }),
    merged_into: optional({ ...text, description: 'The incident that it was merged into' }),
    corroborated: { type: 'boolean', description: 'At least two sources reported it' },
    flapping: { type: 'boolean', description: 'Whether it opens and closes often' },
    reopen_count: { type: 'integer', description: 'How often it was reopened' },
    change_number: { type: 'integer', description: 'Number of its last change' },
    receipt_id: { type: 'string', description: 'Receipt of the last change' },
  }),
);

/** Schema of a person's note on an incident: the stored record. */
const noteSchema = exactly({
  note_id: { ...text, description: 'Id of the note' },
  incident_id: { ...text, description: 'Id of the incident' },
  at: { ...text, description: 'When it happened' },
  principal: { ...text, description: 'Id of the principal that made the change, `prn_<ulid>`' },
  text: { ...text, description: 'Text of the note' },
  public: { type: 'boolean', description: 'Whether /status shows it' },
  phase: optional({ ...phase, description: 'Progress of the work' }),
});

const change = {
  change_number: { type: 'integer', description: 'Number of the change, from 1' },
  change: { type: 'string', enum: changes, description: 'What changed' },
  at: { ...text, description: 'When it happened' },
} as const;

/** Schema of one incident with all its data. */
export const incidentDetail = {
  $id: 'IncidentDetail',
  allOf: [
    incidentSummary,
    open(
      exactly({
        stretches: { type: 'array', description: 'Severity over time', items: stretch },
        alerts: {
          type: 'array',
          description: 'The alerts in the incident',
          items: exactly({
            fingerprint: { ...text, description: 'Identifies the episode' },
            source_id: optional({ ...text, description: 'Id of the source' }),
            vendor: { ...text, description: 'Name of the vendor' },
            state: { ...text, description: 'Current state' },
            severity: { ...text, description: 'Highest severity so far' },
            title: { ...text, description: 'Title of the alert' },
            url: optional({ ...text, description: 'URL at the vendor' }),
            rule: { ...text, description: 'How its subject was found' },
            first_at: { ...text, description: 'First signal' },
            last_at: { ...text, description: 'Last signal' },
            events: { type: 'integer', description: 'Number of signals; equal ones count once' },
          }),
        },
        notes: { type: 'array', description: 'Notes', items: noteSchema },
        changes: {
          type: 'array',
          description: 'Changes with receipts',
          items: exactly({
            ...change,
            receipt_id: { ...text, description: 'Id of the receipt' },
            state: { ...states, description: 'Current state' },
            severity: { ...severities, description: 'Severity' },
            principal: optional({ ...text, description: 'Id of the principal that made the change, `prn_<ulid>`' }),
            reason: optional({ ...text, description: 'Why' }),
          }),
        },
      }),
    ),
  ],
} as const;

const receipt = exactly({
  receipt_id: { ...text, description: 'Id of the receipt' },
  ...change,
  origin: optional({ ...text, description: 'The log that contains it' }),
  index: optional({ type: 'integer', description: 'Its position there' }),
  url: { ...text, description: 'Address of the receipt' },
});

const delivery = exactly({
  delivery_id: { ...text, description: 'Id of the delivery' },
  source_id: { ...text, description: 'Id of the source' },
  digest: { ...text, description: '`sha256:<hex>` of the raw body' },
  auth_strength: { type: 'string', enum: authStrengths, description: 'Strength of the authentication' },
  receipt_ids: { type: 'array', items: text, description: 'Receipts that list it' },
  scheme: optional({ ...text, description: 'How it was verified' }),
  secret_version: optional({ type: 'integer', description: 'Number of the secret that matched' }),
  received_at: optional({ ...text, description: 'When it arrived' }),
  raw_kept: { type: 'boolean', description: 'The raw body can be fetched and hashed again' },
  url: { ...text, description: 'Address of the delivery' },
});

/** Schema of the evidence of an incident. */
export const evidenceSchema = exactly('IncidentEvidence', {
  incident: { ...incidentSummary, description: 'The incident' },
  receipts: { type: 'array', description: 'Receipts of its changes', items: receipt },
  deliveries: { type: 'array', description: 'Deliveries that they list', items: delivery },
  debts: {
    type: 'array',
    description: 'Its debt on scores, by Orb',
    items: exactly({
      orb_id: { ...text, description: 'Id of the Orb' },
      debt_milli: { type: 'integer', description: 'Debt in thousandths; 100,000 removes all points' },
      snapshot_day: { ...text, description: 'The day for which it was computed' },
    }),
  },
});

const id = { type: 'string', maxLength: 200 } as const;

/** Schema of the filters for incidents. */
export const incidentFilters = exactly({
  state: optional({
    ...states,
    enum: [...states.enum, 'unresolved'],
    description: '`unresolved`: open or acknowledged',
  }),
  severity: optional({ ...severities, description: 'Only of this severity' }),
  kind: optional({ type: 'string', enum: incidentKinds, description: 'Only of this kind' }),
  retracted: optional({ type: 'boolean', description: 'Only retracted incidents, or only others' }),
  component: optional({ ...id, description: 'Only of this component' }),
  provider: optional({ ...id, description: 'Only of this provider' }),
  orb_id: optional({ ...id, description: 'Only of this Orb' }),
  from: optional({ ...time, description: 'Started at or after it' }),
  to: optional({ ...time, description: 'Started before it' }),
});

const title = { type: 'string', minLength: 1, maxLength: 200, pattern: plainText } as const;

/** Schema of POST /incidents: an operator's incident. */
export const openWish = exactly({
  title: { ...title, description: 'Title for operators; /status uses its own text' },
  severity: { ...severities, description: 'Severity' },
  scope: { ...wishedScope, description: 'The affected subjects' },
  starts_at: optional({ ...time, description: 'Default: now' }),
});

/** Schema of POST /incidents/{incident_id}/notes. */
export const noteWish = exactly({
  text: { type: 'string', minLength: 1, maxLength: 2000, description: 'Text of the note' },
  public: optional({ type: 'boolean', default: false, description: 'Whether /status shows it' }),
  phase: optional({
    type: 'string',
    enum: ['investigating', 'identified', 'monitoring'],
    description: 'Progress of the work; only for a public note',
  }),
});

/** Schema of a maintenance window: the stored record. */
export const window = exactly('MaintenanceWindow', {
  maintenance_id: { ...text, description: 'Id of the window' },
  title: { ...text, description: 'Public title' },
  scope: { type: 'array', description: 'The affected subjects', items: subject },
  starts_at: { ...text, description: 'When it starts' },
  ends_at: { ...text, description: 'When it ends' },
  principal: optional({ ...text, description: 'Id of the principal that planned it, `prn_<ulid>`' }),
  created_at: optional({ ...text, description: 'When it was created' }),
});

/** Schema of PATCH /maintenance/{maintenance_id}. */
export const windowWish = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    title: { ...title, description: 'Public title' },
    scope: { ...wishedScope, description: 'The affected subjects' },
    starts_at: { ...time, description: 'When it starts' },
    ends_at: { ...time, description: 'When it ends' },
  },
} as const;

/** A person's note on an incident; its id sorts by time. */
export type Note = Answered<typeof noteSchema> & { readonly phase?: Exclude<Phase, 'resolved'> };

/** Selects the incidents to list, newest first; `after` continues after an id. */
export type IncidentQuery = Infer<typeof incidentFilters> & {
  readonly after?: string | undefined;
  readonly limit: number;
};

/** The body that opens an operator's incident. */
export type OpenWish = Infer<typeof openWish>;

/** The body that adds a note. */
export type NoteWish = Infer<typeof noteWish>;

/** A maintenance window as it is stored. Times RFC 3339 UTC. */
export type Maintenance = Required<Answered<typeof window>>;

/** The body that creates or changes a window. */
export type WindowWish = Infer<typeof windowWish>;
