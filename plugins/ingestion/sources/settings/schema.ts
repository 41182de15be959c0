import { exactly, plainText, type Answered, type Infer, type JsonSchema } from '../../../../kernel/index.ts';
import { ownSecret, storedSecret } from './secret-schema.ts';
import { severities, signalStates, vendorNames, vendorPattern, type VendorName } from '../../signals/words.ts';
import { orbSelector } from '../../../runtime/contract.ts';

const closed = { type: 'object', additionalProperties: false } as const;
const name = { type: 'string', minLength: 1, maxLength: 200, pattern: plainText } as const;
const header = {
  title: 'HeaderName',
  type: 'string',
  pattern: '^[A-Za-z0-9-]{1,64}$',
  maxLength: 64,
  examples: ['X-Signature'],
} as const;
const pointer = {
  title: 'JsonPointer',
  type: 'string',
  pattern: '^(/[^/]*)*$',
  maxLength: 200,
  examples: ['/alert/status'],
} as const;
const integer = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;
const seconds = integer(0, 31_536_000);
const orbName = {
  title: 'OrbSelector',
  type: 'string',
  pattern: orbSelector,
  maxLength: 200,
  examples: ['notify.*'],
} as const;

const auth = {
  title: 'SourceAuth',
  ...closed,
  properties: {
    scheme: { enum: ['signature', 'header', 'bearer', 'basic', 'url'], description: 'Authentication of the sender' },
    header: { ...header, description: 'Header with the signature or secret' },
    username: {
      type: 'string',
      pattern: '^[^:]+$',
      maxLength: 200,
      description: 'User name for basic',
      examples: ['orb'],
    },
    prefix: { type: 'string', maxLength: 64, description: 'The text before the signature' },
    algorithm: { enum: ['sha256', 'sha512', 'sha1'], description: 'Hash of the HMAC' },
    encoding: { enum: ['hex', 'base64'], description: 'How the signature is written' },
    signed: { enum: ['body', 'ts.body', 'ts:body'], description: 'What is signed' },
    timestamp_header: { ...header, description: 'Header with the signed time' },
    tolerance_s: { ...integer(1, 86_400), description: 'Maximum age of a delivery in seconds' },
  },
} as const;

const vendorName = {
  type: 'string',
  maxLength: 63,
  pattern: vendorPattern.source,
  description: `Name of the vendor: ${vendorNames.join(', ')}, one of delivery reports, or one that a plugin adds`,
  examples: ['datadog'],
} as const;

const map = {
  title: 'SourceMap',
  ...closed,
  properties: {
    episode: { ...pointer, description: 'Identifier of the episode' },
    state: { ...pointer, description: 'Its state' },
    severity: { ...pointer, description: 'Its severity' },
    title: { ...pointer, description: 'Its title' },
    time: { ...pointer, description: 'When it happened' },
    url: { ...pointer, description: 'URL at the vendor' },
    labels: { ...pointer, description: 'Its labels' },
    type: { ...pointer, description: 'Its type' },
    states: {
      type: 'object',
      maxProperties: 50,
      description: 'What each value of the state means',
      additionalProperties: { enum: signalStates },
    },
  },
} as const;

const impact = {
  title: 'Impact',
  description: 'Status of a service on /status',
  enum: ['major_outage', 'partial_outage', 'degraded_performance', 'none'],
} as const;

const subject = <const K extends readonly string[]>(kinds: K) =>
  exactly({ kind: { enum: kinds, description: 'Kind of subject' }, id: { ...name, description: 'Id of the subject' } });

const policy = {
  title: 'IncidentPolicy',
  ...closed,
  properties: {
    default_severity: { enum: severities, description: 'Severity for unknown words' },
    min_severity: { enum: severities, description: 'Minimum severity that opens an incident' },
    auto_resolve: { enum: ['all', 'last', 'never'], description: 'What closes an incident automatically' },
    for_s: { ...seconds, description: 'How long an alert must fire before an incident opens, seconds' },
    hold_s: { ...seconds, description: 'How long an alert must be quiet before the incident closes, seconds' },
    reopen_window_s: { ...seconds, description: 'How long after the end a new alert reopens the incident, seconds' },
    ttl_s: { ...seconds, minimum: 1, description: 'When an alert expires if its vendor never resolves it, seconds' },
    stale_after_s: { ...seconds, minimum: 1, description: 'When an alert expires if it is not refreshed, seconds' },
    impacts: {
      title: 'ImpactTable',
      ...closed,
      description:
        'Status of a service on /status while an alert of each severity affects it; default: partial_outage for critical and high, degraded_performance for warning, none for info',
      properties: { critical: impact, high: impact, warning: impact, info: impact },
    },
  },
} as const;

const members = {
  auth: { ...auth, description: 'Authentication of the sender; default: the strongest scheme of the vendor' },
  map: { ...map, description: 'JSON pointers to the fields, for vendors without a fixed format' },
  delivery_header: { ...header, description: 'For generic: the header with the id of a delivery' },
  delivery_pointer: { ...pointer, description: 'For generic: JSON pointer to the id of a delivery in the body' },
  binding: {
    ...subject(['orb', 'provider', 'component', 'orbiset']),
    description: 'The one subject that all its alerts affect',
  },
  may_name: {
    title: 'SourceSubjects',
    ...closed,
    properties: {
      orbs: { type: 'array', description: 'Orbs', items: orbName, maxItems: 200 },
      providers: { type: 'array', description: 'Providers', items: name, maxItems: 200 },
      components: { type: 'array', description: 'Components', items: name, maxItems: 20 },
    },
    description: 'Subjects that its deliveries can report on; Orbs exact or ns.*; default: none',
  },
  aliases: {
    title: 'SourceAliases',
    type: 'array',
    maxItems: 500,
    items: exactly('SourceAlias', {
      label: { type: 'string', minLength: 1, maxLength: 64, pattern: plainText, description: 'Name of the label' },
      value: { type: 'string', minLength: 1, maxLength: 256, description: 'Its value, exact or with *' },
      subject: { ...subject(['orb', 'provider', 'component']), description: 'The subject that the value means' },
    }),
    description: 'Label and value (exact, or with *) → subject, within may_name',
  },
  default_component: { ...name, description: 'The component for alerts that match no other subject' },
  policy: { ...policy, description: 'How alerts become incidents' },
  limits: {
    title: 'SourceLimits',
    ...closed,
    properties: {
      rate_per_second: { ...integer(1, 10_000), default: 50, description: 'Deliveries per second' },
      burst: { ...integer(1, 100_000), default: 500, description: 'Deliveries at the same time' },
      max_bytes: { ...integer(1024, 25 * 1024 * 1024), description: 'The largest body, bytes' },
    },
    description: 'Deliveries per second and at the same time; the largest body, up to the limit of the vendor',
  },
  retention_days: { ...integer(3, 3650), description: 'Retention of bodies in days; default: 30' },
  silent_after_s: {
    ...seconds,
    minimum: 60,
    description: 'Time without deliveries after which the source counts as stale',
  },
  paused: { type: 'boolean', description: 'Deliveries are stored but not processed' },
} as const satisfies Record<string, JsonSchema>;

/** Schema of POST /sources. */
export const newSource = {
  $id: 'SourceRequest',
  ...closed,
  required: ['name', 'vendor'],
  properties: { name: { ...name, description: 'Name for people' }, vendor: vendorName, ...members, secret: ownSecret },
} as const satisfies JsonSchema;

/** Body of POST /sources. */
export type NewSource = Infer<typeof newSource>;

/** Schema of PATCH /sources/{source_id}: members replace, null removes an optional one. */
export const sourceChange = {
  $id: 'SourceChange',
  ...closed,
  minProperties: 1,
  properties: { name: { ...name, description: 'Name for people' }, ...members },
} as const satisfies JsonSchema;

/** Body of PATCH /sources/{source_id}. */
export type SourceChange = Infer<typeof sourceChange>;

/** A source as it is stored: the settings of its operator, without defaults. */
export interface SourceRecord extends Omit<NewSource, 'secret'> {
  readonly source_id: string;
}

/** Schema of a source in answers. */
export const sourceSchema = {
  $id: 'Source',
  type: 'object',
  required: ['source_id', 'name', 'vendor', 'auth', 'may_name', 'policy', 'paused', 'created_at', 'secrets'],
  properties: {
    source_id: { type: 'string', description: 'Id of the source' },
    name: { ...name, description: 'Name for people' },
    vendor: vendorName,
    ...members,
    created_at: { type: 'string', description: 'When it was created' },
    updated_at: { type: 'string', description: 'When it last changed' },
    secrets: {
      type: 'array',
      description: 'The 1 to 3 active and future secrets, without their values',
      items: storedSecret,
    },
  },
} as const satisfies JsonSchema;

type Said = Pick<NewSource, 'map' | 'delivery_header' | 'delivery_pointer'>;
type Members = Answered<{
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: typeof members;
}>;
type Policy = Answered<typeof policy>;

/**
 * How the sender of a source authenticates; a scheme ignores members it does not use. `url`: only by the secret URL.
 */
export type AuthSettings = Answered<typeof auth> & { readonly scheme: NonNullable<Answered<typeof auth>['scheme']> };

/** Fields of a generic sender's payload: JSON pointers, and its words for states. */
export type FieldMap = Answered<typeof map>;

/** The settings of a source that its vendor's code may see. */
export type VendorSettings = Said & { readonly auth: AuthSettings };

/**
 * How a source's alerts become incidents; `ttl_s`: for vendors that never resolve, `stale_after_s`: for vendors that
 * refresh.
 */
export type SourcePolicy = Required<Omit<Policy, 'ttl_s' | 'stale_after_s' | 'impacts'>> & Policy;

/** The subjects that a source may name (default: none) and to which it is bound. */
export type SourceSubjects = Pick<Members, 'binding' | 'default_component'> & {
  readonly may_name: Required<NonNullable<Members['may_name']>>;
  readonly aliases: NonNullable<Members['aliases']>;
};

/** A source in the form that incidents use; `policy` includes the defaults of the vendor. */
export interface SourceView {
  readonly source_id: string;
  readonly name: string;
  readonly vendor: VendorName;
  readonly subjects: SourceSubjects;
  readonly policy: SourcePolicy;
}
