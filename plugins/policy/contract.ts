import { defineService, type JsonSchema } from '../../kernel/index.ts';
import { execute, frame, framed, providers, publish, resource, subject, swap } from './envelope/parts.ts';
import { actions, type Action } from './shapes.ts';

export type { LlmContext, SpendContext } from './envelope/models.ts';
export { actions, type Action, type Diagnostic, type PolicyInfo, type PolicyMode } from './shapes.ts';

const contexts = {
  execute: {
    properties: execute,
    required: ['orbiset', 'inputs', 'inputs_bytes', 'delivery', 'providers', 'approvals'],
  },
  swap: { properties: { providers, swap }, required: ['providers', 'swap'] },
  publish: { properties: { publish }, required: ['publish'] },
} as const;

/** A revision of the policies, and when it was active. Times RFC 3339 UTC. */
export interface RevisionInForce {
  /** `sha256:<hex>`, as receipts name it. */
  readonly revision: string;
  readonly from: string;
  /** Absent: it is active. */
  readonly until?: string;
  /** The principal that activated it, or `folder`. */
  readonly by: string;
  readonly message?: string;
  /** Absent: the store does not keep it any more. */
  readonly files?: readonly { readonly path: string; readonly source: string }[];
}

/** The policies as they were, for plugins that show what decided. */
export interface PolicyHistory {
  /** Lists the revisions that were active in [from, to), oldest first, one at a time. Times RFC 3339 UTC. */
  between(from: string, to: string): AsyncIterable<RevisionInForce>;
}

/** Reads the policies that were active. */
export const policyHistory = defineService<PolicyHistory>('policy_history');

const revision = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$', description: 'The active policies' } as const;

/** Builds the schema of an action's envelope; without `revision` it is the schema of the kernel's question. */
function envelope(
  action: Action,
  more: { readonly properties: object; readonly required: readonly string[] },
  shared: { readonly subject: object; readonly resource: object } = { subject, resource },
): object {
  const { properties, required } = contexts[action];
  return {
    type: 'object',
    additionalProperties: false,
    required: ['subject', 'action', 'resource', 'context'],
    properties: {
      subject: shared.subject,
      action: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: { const: action } },
      },
      resource: shared.resource,
      context: {
        type: 'object',
        additionalProperties: false,
        required: [...framed, ...more.required, ...required],
        properties: { ...frame, ...more.properties, ...properties },
      },
    },
  };
}

function each(make: (action: Action) => object): Readonly<Record<Action, JsonSchema>> {
  return Object.fromEntries(actions.map((action) => [action, make(action)])) as Readonly<Record<Action, JsonSchema>>;
}

/** The published schema of each action's envelope, which a policy reads as `input`. */
export const envelopeSchemas: Readonly<Record<Action, JsonSchema>> = each((action) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: `Input of the action ${action}`,
  ...envelope(action, { properties: { revision }, required: ['revision'] }),
}));

/** Schemas of the kernel's questions: envelopes without the engine's revision and the members in `sharedSchemas`. */
export const questionSchemas: Readonly<Record<Action, JsonSchema>> = each((action) =>
  envelope(action, { properties: {}, required: [] }, { subject: {}, resource: {} }),
);

/** Schemas of the members that many questions share. */
export const sharedSchemas = { subject, resource } as const satisfies Readonly<Record<string, JsonSchema>>;

/** The input schema of a module for all actions: the members of every action's envelope. */
export const rootSchema: JsonSchema = {
  type: 'object',
  properties: {
    subject,
    action: { type: 'object', properties: { name: { enum: [...actions] } } },
    resource,
    context: { type: 'object', properties: { ...frame, revision, ...execute, swap, publish } },
  },
};

/** Envelope paths that an entrypoint may read; `all`: paths unknown, so no caching. Null in a path: every provider. */
export interface ReadPaths {
  readonly all: boolean;
  readonly paths: readonly (readonly (string | null)[])[];
}
