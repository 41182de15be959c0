import { exactly, optional, type Infer } from '../tools/schema.ts';

/** Schema of what an Orb represents at its provider: one tool, pinned by the digest of its definition. */
export const upstream = exactly('Upstream', {
  provider: {
    type: 'string',
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 64,
    description: 'The provider that serves the Orb, and the only one unless another is bound by name',
  },
  tool: { type: 'string', minLength: 1, maxLength: 256, description: 'Name of the tool at the provider' },
  definition_digest: {
    type: 'string',
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'SHA-256 of the canonical form (RFC 8785) of its definition: a tool with another one is not called',
  },
  annotations_trusted: optional({
    type: 'boolean',
    description: "True: the effect follows the provider's own annotations, by the operator's word",
  }),
  tool_errors: optional({
    enum: ['unknown', 'no_effect'],
    description: 'What an error of the tool means for its effect. Default: unknown',
  }),
});

/** What an Orb represents at its provider. */
export type Upstream = Infer<typeof upstream>;

/** What was called upstream, as the receipt shows it. */
export interface UpstreamFacts {
  /** The self-description of the server. */
  readonly server: { readonly name: string; readonly version: string };
  /** Revision of the protocol that was spoken. */
  readonly protocol: string;
  readonly tool: string;
  /** Digest of the definition under which the tool was called. */
  readonly definition_digest: string;
  /** False: another definition than the one of the manifest, which the provider's configuration allows. */
  readonly pinned: boolean;
}

/** The effect of an Orb on the world. */
export type Effect = 'none' | 'idempotent' | 'reversible' | 'irreversible';

/** The call of an Orb that represents a tool of a provider. */
export interface UpstreamCall extends Upstream {
  readonly effect: Effect;
  /** Id of the principal that calls: a connection that keeps state belongs to one principal. */
  readonly principal: string;
  /** W3C traceparent of the run. */
  readonly traceparent?: string;
  /** Tells, before the call, what is called; the receipt shows it. */
  report(facts: UpstreamFacts): void;
  /** Tells the caller how far the call is; absent when the caller does not listen. It settles nothing. */
  readonly progress?: (told: UpstreamProgress) => void;
}

/** How far a provider says it is. */
export interface UpstreamProgress {
  /** How far it is, in units of the tool's own; grows with each message. */
  readonly progress: number;
  /** How far it is at the end, in the same units. */
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
