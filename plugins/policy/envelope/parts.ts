import { exactly, optional } from '../../../kernel/index.ts';
import { llm, spend } from './models.ts';

const text = { type: 'string', maxLength: 1000 } as const;
const count = { type: 'integer', minimum: 0 } as const;
const health = { enum: ['up', 'degraded', 'down', 'unknown'] } as const;

/** Schema of the caller; the same in every envelope. */
export const subject = exactly({
  type: { const: 'principal' },
  id: { ...text, description: '`prn_…`: outlives its keys' },
  key_id: { ...text, description: 'Id of the key presented, never the key' },
  tenant: text,
  scopes: { type: 'array', items: text },
  mode: { enum: ['live', 'test'], description: 'The kind of the key; `test` too for a run in the sandbox' },
});

/** Schema of the Orb that the question is about; the same in every envelope. */
export const resource = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...['type', 'id', 'namespace', 'name', 'version', 'capability', 'manifest_digest', 'manifest_signed'],
    ...['action_class', 'effect', 'data_classes', 'tier', 'score', 'state'],
  ],
  properties: {
    type: { const: 'orb' },
    id: { ...text, description: 'orb_id' },
    namespace: text,
    name: text,
    version: text,
    capability: text,
    manifest_digest: { ...text, description: '`sha256:<hex>`' },
    manifest_signed: { type: 'boolean' },
    action_class: { enum: ['read', 'notify', 'write', 'delete', 'execute', 'payment'] },
    effect: { enum: ['none', 'idempotent', 'reversible', 'irreversible'] },
    data_classes: {
      type: 'array',
      items: { enum: ['public', 'internal', 'confidential', 'restricted'] },
      description: 'Empty: unclassified',
    },
    tier: { ...text, description: 'none, bronze, silver, gold, platinum' },
    // anyOf instead of a list of types: the compiler's type checker uses only the first type of a list.
    score: { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'null sorts below every number' },
    state: { enum: ['active', 'suspended'] },
  },
} as const;

/** Members of every envelope's context; the engine itself adds `revision`. */
export const frame = {
  schema: { const: 1 },
  time: { ...text, description: 'RFC 3339 UTC, frozen' },
  time_ns: { type: 'string', pattern: '^[0-9]{1,20}$', description: 'Nanoseconds since the Unix epoch, frozen' },
  decision_id: { ...text, description: '`dec_…`' },
  installation: { ...text, description: '`ins_…`' },
  service_version: text,
  client_ip: { ...text, description: 'Absent when unknown' },
} as const;

/** The required members of the frame. */
export const framed = ['schema', 'time', 'time_ns', 'decision_id', 'installation', 'service_version'] as const;

/** The complete provider order, the active one first; a failover uses no other provider. */
export const providers = {
  type: 'array',
  items: exactly({
    name: text,
    adapter: text,
    health,
    generation: { ...count, description: '0: not open' },
    error_rate: optional({ type: 'number', minimum: 0, maximum: 1 }),
  }),
} as const;

/** Members that an execute adds to the envelope. */
export const execute = {
  orbiset: exactly({ id: text, labels: { type: 'object', additionalProperties: { type: 'string' } } }),
  inputs: { type: 'object', description: "Valid against the Orb's schema; untyped here" },
  inputs_bytes: count,
  parsed: {
    type: 'object',
    description:
      'Inputs that have a grammar of their own (addresses, URLs, header names), in the form that providers use; absent when the capability has none',
  },
  delivery: { enum: ['at_most_once', 'at_least_once'] },
  providers,
  approvals: {
    type: 'array',
    description: 'Approvals of this run; empty while there is none',
    items: exactly({
      code: { ...text, description: 'The code of the ask' },
      approvers: { ...text, description: 'The group that was asked' },
      approved_by: { type: 'array', items: text, description: 'Ids of the principals who approved' },
      at: { ...text, description: 'When the last of them did, RFC 3339 UTC' },
    }),
  },
  channel: exactly({
    kind: { ...text, description: '`http`, or the protocol of a plugin' },
    protocol: optional({ ...text, description: 'Its revision' }),
    tool: optional({ ...text, description: 'The name by which the caller named the Orb' }),
    client: optional({
      ...exactly({ name: text, version: optional(text) }),
      description: 'What the client says it is: claimed, not proven',
    }),
  }),
  llm: { ...llm, description: 'Only of calls of models' },
  spend: { ...spend, description: 'Only of metered calls, with the plugin `budgets`' },
} as const;

/** Members that a swap adds to the envelope. */
export const swap = exactly({
  from: optional({ ...text, description: 'Absent: nothing is bound' }),
  to: text,
  to_adapter: text,
  to_sandbox: { type: 'boolean' },
  to_health: health,
  rollback: { type: 'boolean' },
  in_flight: count,
  last_swap_age_s: optional({ type: 'integer', minimum: 0 }),
});

/** Members that a publish adds to the envelope. */
export const publish = exactly({
  previous_version: optional(text),
  namespace_tenant: optional({ ...text, description: 'Absent: no owner' }),
});
