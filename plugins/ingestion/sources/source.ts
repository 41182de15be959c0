import { orbSelector, plainText, type Infer, type JsonSchema } from '../../../kernel/index.ts';
import type { Severity, SourcePolicy, SourceView } from '../signals/signal.ts';
import { vendorNames, vendors } from '../vendors/index.ts';
import type { AuthSettings, VendorSettings } from '../vendors/vendor.ts';

const severities = ['critical', 'high', 'warning', 'info', 'debug'] as const satisfies readonly Severity[];
const states = ['firing', 'acknowledged', 'resolved', 'suppressed', 'unknown', 'info'] as const;
const closed = { type: 'object', additionalProperties: false } as const;
const name = { type: 'string', minLength: 1, maxLength: 200, pattern: plainText } as const;
const header = { title: 'HeaderName', type: 'string', pattern: '^[A-Za-z0-9-]{1,64}$', maxLength: 64 } as const;
const pointer = { title: 'JsonPointer', type: 'string', pattern: '^(/[^/]*)*$', maxLength: 200 } as const;
const seconds = { type: 'integer', minimum: 0, maximum: 31_536_000 } as const;
const orbName = { title: 'OrbSelector', type: 'string', pattern: orbSelector, maxLength: 200 } as const;

const auth = {
  title: 'SourceAuth',
  ...closed,
  properties: {
    scheme: { enum: ['signature', 'header', 'bearer', 'basic', 'url'], description: 'How the sender proves itself' },
    header: { ...header, description: 'Header with the proof' },
    username: { type: 'string', pattern: '^[^:]+$', maxLength: 200, description: 'Name, of basic' },
    prefix: { type: 'string', maxLength: 64, description: 'What stands before the signature' },
    algorithm: { enum: ['sha256', 'sha512', 'sha1'], description: 'Hash of the HMAC' },
    encoding: { enum: ['hex', 'base64'], description: 'How the signature is written' },
    signed: { enum: ['body', 'ts.body', 'ts:body'], description: 'What is signed' },
    timestamp_header: { ...header, description: 'Header with the time that is signed' },
    tolerance_s: { type: 'integer', minimum: 1, maximum: 86_400, description: 'How old a delivery may be, seconds' },
  },
} as const;

const map = {
  title: 'SourceMap',
  ...closed,
  properties: {
    episode: { ...pointer, description: 'What names the episode' },
    state: { ...pointer, description: 'Its state' },
    severity: { ...pointer, description: 'Its severity' },
    title: { ...pointer, description: 'Its title' },
    time: { ...pointer, description: 'When it happened' },
    url: { ...pointer, description: 'Address at the vendor' },
    labels: { ...pointer, description: 'Its labels' },
    type: { ...pointer, description: 'Its type' },
    states: {
      type: 'object',
      maxProperties: 50,
      description: 'What each value of the state means',
      additionalProperties: { enum: [...states] },
    },
  },
} as const;

const subject = (kinds: readonly string[]) =>
  ({
    ...closed,
    required: ['kind', 'id'],
    properties: {
      kind: { enum: kinds, description: 'Kind of subject' },
      id: { ...name, description: 'Id of the subject' },
    },
  }) as const;

const members = {
  auth: { ...auth, description: 'How the sender proves itself; default: the best its vendor offers' },
  map: { ...map, description: 'JSON pointers to the fields of vendors that define none' },
  delivery_header: { ...header, description: 'Of generic: the header that names a delivery' },
  delivery_pointer: { ...pointer, description: 'Of generic: where the body names a delivery' },
  binding: {
    ...subject(['orb', 'provider', 'component', 'orbiset']),
    description: 'The one subject that all its alerts concern',
  },
  may_name: {
    title: 'SourceSubjects',
    ...closed,
    properties: {
      orbs: { type: 'array', description: 'Orbs', items: orbName, maxItems: 200 },
      providers: { type: 'array', description: 'Providers', items: name, maxItems: 200 },
      components: { type: 'array', description: 'Components', items: name, maxItems: 20 },
    },
    description: 'Subjects that its deliveries may name; Orbs exact or ns.*; default: none',
  },
  aliases: {
    title: 'SourceAliases',
    type: 'array',
    maxItems: 500,
    items: {
      title: 'SourceAlias',
      ...closed,
      required: ['label', 'value', 'subject'],
      properties: {
        label: { type: 'string', minLength: 1, maxLength: 64, pattern: plainText, description: 'Name of the label' },
        value: { type: 'string', minLength: 1, maxLength: 256, description: 'Its value, exact or with *' },
        subject: { ...subject(['orb', 'provider', 'component']), description: 'The subject it stands for' },
      },
    },
    description: 'Label and value (exact, or with *) → subject, within may_name',
  },
  default_component: { ...name, description: 'Where an alert goes that maps to nothing else' },
  policy: {
    title: 'IncidentPolicy',
    ...closed,
    properties: {
      default_severity: { enum: [...severities], description: 'Of words that no table knows' },
      min_severity: { enum: [...severities], description: 'Below it no incident opens' },
      auto_resolve: { enum: ['all', 'last', 'never'], description: 'What closes an incident by itself' },
      for_s: { ...seconds, description: 'How long it must fire first, seconds' },
      hold_s: { ...seconds, description: 'How long it must be quiet to close, seconds' },
      reopen_window_s: { ...seconds, description: 'How long it opens again instead of anew, seconds' },
      ttl_s: { ...seconds, minimum: 1, description: 'When an alert expires that its vendor never resolves, seconds' },
      stale_after_s: { ...seconds, minimum: 1, description: 'When an alert expires that is not refreshed, seconds' },
    },
    description: 'How alerts become incidents',
  },
  limits: {
    title: 'SourceLimits',
    ...closed,
    properties: {
      rate_per_second: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 50,
        description: 'Deliveries per second',
      },
      burst: { type: 'integer', minimum: 1, maximum: 100_000, default: 500, description: 'Deliveries at once' },
      max_bytes: { type: 'integer', minimum: 1024, maximum: 25 * 1024 * 1024, description: 'The largest body, bytes' },
    },
    description: 'Deliveries per second and at once; the largest body, within what its vendor allows',
  },
  retention_days: { type: 'integer', minimum: 3, maximum: 3650, description: 'How long bodies are kept; default: 30' },
  silent_after_s: { ...seconds, minimum: 60, description: 'Silence after which the source counts as stale' },
  paused: { type: 'boolean', description: 'Deliveries are stored and wait' },
} as const satisfies Record<string, JsonSchema>;

/** Schema of POST /sources. */
export const newSource = {
  $id: 'NewSource',
  ...closed,
  required: ['name', 'vendor'],
  properties: {
    name: { ...name, description: 'Name for people' },
    vendor: { enum: [...vendorNames], description: 'Name of the vendor' },
    ...members,
    secret: { type: 'string', minLength: 1, maxLength: 500, description: 'The vendor’s own; absent: one is made' },
  },
} as const satisfies JsonSchema;

/** Body of POST /sources. */
export type NewSource = Infer<typeof newSource>;

/** Schema of PATCH /sources/{source_id}: members replace, null takes an optional one away. */
export const sourceChange = {
  $id: 'SourceChange',
  ...closed,
  minProperties: 1,
  properties: { name: { ...name, description: 'Name for people' }, ...members },
} as const satisfies JsonSchema;

/** Body of PATCH /sources/{source_id}. */
export type SourceChange = Infer<typeof sourceChange>;

/** A source as it is stored: what its operator said and nothing filled in. */
export interface SourceRecord extends Omit<NewSource, 'secret'> {
  readonly source_id: string;
}

/** What of a source can be shown. */
export const sourceSchema = {
  $id: 'Source',
  type: 'object',
  required: ['source_id', 'name', 'vendor', 'auth', 'may_name', 'policy', 'paused', 'created_at', 'secrets'],
  properties: {
    source_id: { type: 'string', description: 'Id of the source' },
    name: { ...name, description: 'Name for people' },
    vendor: { enum: [...vendorNames], description: 'Name of the vendor' },
    ...members,
    created_at: { type: 'string', description: 'When it was made' },
    updated_at: { type: 'string', description: 'When it last changed' },
    secrets: {
      type: 'array',
      description: 'The 1–3 active secrets and those that will be, without their texts',
      items: {
        type: 'object',
        required: ['version', 'not_before', 'created_at'],
        properties: {
          version: { type: 'integer', description: 'Number of the secret' },
          not_before: { type: 'string', description: 'From when it serves' },
          not_after: { type: 'string', description: 'Until when it serves' },
          created_at: { type: 'string', description: 'When it was made' },
          last_used_at: { type: 'string', description: 'When it was last used' },
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Fills the settings of authentication from those of the vendor. */
export function authOf({ vendor, auth }: Pick<SourceRecord, 'vendor' | 'auth'>): AuthSettings {
  const known = vendors[vendor];
  return { scheme: known.schemes[0] ?? 'url', ...known.auth, ...auth };
}

/** What of a source its vendor's code may see. */
export function settingsOf(record: SourceRecord): VendorSettings {
  const { map, delivery_header, delivery_pointer } = record;
  return {
    auth: authOf(record),
    ...(map === undefined ? {} : { map }),
    ...(delivery_header === undefined ? {} : { delivery_header }),
    ...(delivery_pointer === undefined ? {} : { delivery_pointer }),
  };
}

const everyPolicy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'warning',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: 60,
  reopen_window_s: 900,
};

/** Fills a source as incidents see it. */
export function viewOf(record: SourceRecord): SourceView {
  const { source_id, name, vendor, binding, may_name, aliases = [], default_component } = record;
  return {
    source_id,
    name,
    vendor,
    subjects: {
      ...(binding === undefined ? {} : { binding: binding as NonNullable<SourceView['subjects']['binding']> }),
      may_name: {
        orbs: may_name?.orbs ?? [],
        providers: may_name?.providers ?? [],
        components: may_name?.components ?? [],
      },
      aliases: aliases as SourceView['subjects']['aliases'],
      ...(default_component === undefined ? {} : { default_component }),
    },
    policy: { ...everyPolicy, ...vendors[vendor].policy, ...record.policy },
  };
}

/** The largest body of a source in bytes, as received and as inflated. */
export function mostBytes({ vendor, limits }: SourceRecord): number {
  const { bytes, most_bytes = bytes } = vendors[vendor].limits;
  return Math.min(limits?.max_bytes ?? bytes, most_bytes);
}

/** How long bodies of a source are kept, in days. */
export function retentionDays({ retention_days = 30 }: SourceRecord): number {
  return retention_days;
}
