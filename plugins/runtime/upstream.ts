import { exactly, optional, type Infer } from '../../kernel/tools/schema.ts';

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

/** The event of a tool whose definition was compared with an Orb's manifest: at first, and when the result changes. */
export interface DefinitionChanged {
  readonly orb_id: string;
  readonly provider: string;
  readonly tool: string;
  /** `pinned`: as in the manifest; the Orb is served. `released`: the Orb left service. */
  readonly state: 'pinned' | 'changed' | 'gone' | 'released';
  /** Digest in the manifest. */
  readonly definition_digest: string;
  /** Digest at the provider; absent when the tool is not on offer. */
  readonly found_digest?: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

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
