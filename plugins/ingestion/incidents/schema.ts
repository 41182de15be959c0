import { exactly, optional, type Exactly, plainText, type Answered, type Infer } from '../../../kernel/index.ts';
import { componentNames } from '../contract.ts';
import { authStrengths } from '../signals/words.ts';
import {
  changes,
  impacts,
  incidentKinds,
  incidentSeverities,
  incidentStates,
  phases,
  subjectKinds,
  type Phase,
} from './fact.ts';

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
  severity: { ...severities, description: 'How bad it is' },
  impact: optional({ type: 'string', enum: impacts, description: 'What /status says, where a source sets it' }),
});

/** Schema of one incident in a list. */
export const incidentSummary = open(
  exactly('Incident', {
    incident_id: { ...text, description: 'Id of the incident' },
    kind: { type: 'string', enum: incidentKinds, description: 'What opened it' },
    state: { ...states, description: 'State now' },
    retracted: { type: 'boolean', description: 'A false positive, or joined with another' },
    phase: { ...phase, description: 'Progress of the work' },
    severity: { ...severities, description: 'The worst it has been' },
    impact: { type: 'string', enum: impacts, description: 'What it means for the services' },
    scope: { type: 'array', items: subject, description: 'Empty: a weak alert, without a subject' },
    title: { type: 'string', description: 'Words of the vendor or the operator' },
    starts_at: { ...text, description: 'When it began' },
    ends_at: optional({ ...text, description: 'When it was over' }),
    acknowledged_at: optional({ ...text, description: 'When somebody took it up' }),
    updated_at: { ...text, description: 'When it last changed' },
    resolution: optional({
      type: 'string',
      enum: ['recovered', 'expired', 'suppressed', 'manual'],
      description: 'Why it is over',
    }),
    reason: optional({ type: 'string', description: 'Why a person resolved it, or why it is retracted; `integrity`' }),
    principal: optional({ type: 'string', description: 'The person who set its state' }),
    failing_receipt_id: optional({ type: 'string', description: 'The receipt that does not verify' }),
    merged_into: optional({ ...text, description: 'The incident that it became part of' }),
    corroborated: { type: 'boolean', description: 'At least two sources say so' },
    flapping: { type: 'boolean', description: 'Whether it opens and closes often' },
    reopen_count: { type: 'integer', description: 'How often it opened again' },
    change_number: { type: 'integer', description: 'Number of its last change' },
    receipt_id: { type: 'string', description: 'Attests the last change' },
  }),
);

/** Schema of a person's note on an incident: the stored record. */
const noteSchema = exactly({
  note_id: { ...text, description: 'Id of the note' },
  incident_id: { ...text, description: 'Id of the incident' },
  at: { ...text, description: 'When it happened' },
  principal: { ...text, description: 'Id of the principal that did it, `prn_<ulid>`' },
  text: { ...text, description: 'What was written' },
  public: { type: 'boolean', description: 'Whether /status shows it' },
  phase: optional({ ...phase, description: 'Where the work stood' }),
});

/** Schema of one incident with all its data. */
export const incidentDetail = {
  $id: 'IncidentDetail',
  allOf: [
    incidentSummary,
    open(
      exactly({
        stretches: { type: 'array', description: 'When it was how bad', items: stretch },
        alerts: {
          type: 'array',
          description: 'The alerts it is made of',
          items: exactly({
            fingerprint: { ...text, description: 'Names the episode' },
            source_id: optional({ ...text, description: 'Id of the source' }),
            vendor: { ...text, description: 'Name of the vendor' },
            state: { ...text, description: 'State now' },
            severity: { ...text, description: 'The worst it has been' },
            title: { ...text, description: 'Title of the alert' },
            url: optional({ ...text, description: 'Address at the vendor' }),
            rule: { ...text, description: 'How its subject was found' },
            first_at: { ...text, description: 'First signal' },
            last_at: { ...text, description: 'Last signal' },
            events: { type: 'integer', description: 'Number of signals; those that say the same count once' },
          }),
        },
        notes: { type: 'array', description: 'What people wrote', items: noteSchema },
        changes: {
          type: 'array',
          description: 'What was attested of it',
          items: exactly({
            change_number: { type: 'integer', description: 'Number of the change, from 1' },
            change: { type: 'string', enum: changes, description: 'What changed' },
            at: { ...text, description: 'When it happened' },
            receipt_id: { ...text, description: 'Id of the receipt' },
            state: { ...states, description: 'State now' },
            severity: { ...severities, description: 'How bad it is' },
            principal: optional({ ...text, description: 'Id of the principal that did it, `prn_<ulid>`' }),
            reason: optional({ ...text, description: 'Why' }),
          }),
        },
      }),
    ),
  ],
} as const;

const receipt = exactly({
  receipt_id: { ...text, description: 'Id of the receipt' },
  change_number: { type: 'integer', description: 'Number of the change, from 1' },
  change: { type: 'string', enum: changes, description: 'What changed' },
  at: { ...text, description: 'When it happened' },
  origin: optional({ ...text, description: 'The log that holds it' }),
  index: optional({ type: 'integer', description: 'Its position there' }),
  url: { ...text, description: 'Address of the receipt' },
});

const delivery = exactly({
  delivery_id: { ...text, description: 'Id of the delivery' },
  source_id: { ...text, description: 'Id of the source' },
  digest: { ...text, description: '`sha256:<hex>` of the raw body' },
  auth_strength: { type: 'string', enum: authStrengths, description: 'How well the sender proved itself' },
  receipt_ids: { type: 'array', items: text, description: 'Receipts that list it' },
  scheme: optional({ ...text, description: 'How it was verified' }),
  secret_version: optional({ type: 'integer', description: 'Number of the secret that fits' }),
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
    description: 'The debt it makes, by Orb',
    items: exactly({
      orb_id: { ...text, description: 'Id of the Orb' },
      debt_milli: { type: 'integer', description: 'Thousandths of the hundred that take all points' },
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
  retracted: optional({ type: 'boolean', description: 'Only retracted ones, or only the others' }),
  component: optional({ ...id, description: 'Only of this component' }),
  provider: optional({ ...id, description: 'Only of this provider' }),
  orb_id: optional({ ...id, description: 'Only of this Orb' }),
  from: optional({ ...time, description: 'Began at or after it' }),
  to: optional({ ...time, description: 'Began before it' }),
});

const title = { type: 'string', minLength: 1, maxLength: 200, pattern: plainText } as const;

/** Schema of POST /incidents: an operator's incident. */
export const openWish = exactly({
  title: { ...title, description: 'For operators; /status uses its own text' },
  severity: { ...severities, description: 'How bad it is' },
  scope: { ...wishedScope, description: 'The subjects it concerns' },
  starts_at: optional({ ...time, description: 'Default: now' }),
});

/** Schema of POST /incidents/{incident_id}/notes. */
export const noteWish = exactly({
  text: { type: 'string', minLength: 1, maxLength: 2000, description: 'What to write' },
  public: optional({ type: 'boolean', default: false, description: 'Whether /status shows it' }),
  phase: optional({
    type: 'string',
    enum: ['investigating', 'identified', 'monitoring'],
    description: 'Progress of the work, of a public note',
  }),
});

/** Schema of a maintenance window: the stored record. */
export const window = exactly('MaintenanceWindow', {
  maintenance_id: { ...text, description: 'Id of the window' },
  title: { ...text, description: 'For everybody' },
  scope: { type: 'array', description: 'The subjects it concerns', items: subject },
  starts_at: { ...text, description: 'When it begins' },
  ends_at: { ...text, description: 'When it ends' },
  principal: optional({ ...text, description: 'Id of the principal that planned it, `prn_<ulid>`' }),
  created_at: optional({ ...text, description: 'When it was made' }),
});

/** Schema of PATCH /maintenance/{maintenance_id}. */
export const windowWish = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    title: { ...title, description: 'For everybody' },
    scope: { ...wishedScope, description: 'The subjects it concerns' },
    starts_at: { ...time, description: 'When it begins' },
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
