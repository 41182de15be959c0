import { given, type JsonSchema } from '../../../kernel/index.ts';
import type { Offer } from '../../../kernel/adapter.ts';
import { assumedOf, isReadOnly, type Assumed } from './effect.ts';
import { inputsSchema, outputsSchema } from './schema.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** The operator's choices for an import. */
export interface ImportChoices {
  readonly provider: string;
  readonly namespace: string;
  readonly trustAnnotations: boolean;
  /** Whether a repeated call is recognised. Without it: unless the server calls the tool read-only. */
  readonly guard?: Choice<'on' | 'off'> | undefined;
  /** Meaning of a tool's error for its effect. Default: unknown. */
  readonly toolErrors?: Choice<'unknown' | 'no_effect'> | undefined;
}

/** A choice for some tools; for all when it names none. */
export interface Choice<V extends string> {
  readonly value: V;
  readonly tools?: readonly string[] | undefined;
}

/** Returns the choices for a tool. */
export function chosenFor<V extends string>(choice: Choice<V> | undefined, tool: string): V | undefined {
  return choice?.tools?.includes(tool) === false ? undefined : choice?.value;
}

/** The members of a manifest that an import decides by choices. */
export type Decided = Pick<OrbManifest, 'repeat_guard'> & {
  readonly tool_errors?: NonNullable<OrbManifest['upstream']>['tool_errors'];
};

/** Decides what the choices say of a tool, or else its definition. */
export function decidedFor({ tool, definition }: Offer, { guard, toolErrors }: ImportChoices): Decided {
  const chosen = chosenFor(guard, tool) ?? (isReadOnly(definition.annotations) ? 'off' : undefined);
  const tool_errors = chosenFor(toolErrors, tool);
  return given({ repeat_guard: chosen && chosen === 'on', tool_errors });
}

/** A manifest without its id, and why it is as it is. */
export interface Drafted {
  readonly manifest: Omit<OrbManifest, 'orb_id'>;
  readonly why: Assumed['why'];
}

const timeoutMs = 60_000;
const longestTitle = 200;
const longestDescription = 2000;

/** Writes the name of a tool as the last part of an Orb's id: kebab-case, of `a-z`, `0-9` and `-`. */
export function labelOf(tool: string): string {
  const label = tool
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return label.slice(0, 100).replace(/-$/, '') || 'tool';
}

/** Makes the manifest of the Orb that represents a tool. */
export function draftOf(offer: Offer, choices: ImportChoices): Drafted {
  const { tool, definition, digest } = offer;
  const { tool_errors, ...decided } = decidedFor(offer, choices);
  const { title, description, inputSchema, outputSchema, annotations } = definition;
  const { why, ...assumed } = assumedOf(labelOf(tool), annotations, choices);
  const manifest: Drafted['manifest'] = {
    manifest_version: 1,
    title: textOf(title, longestTitle) ?? tool.slice(0, longestTitle),
    description: textOf(description, longestDescription) ?? `The tool ${tool} of ${choices.provider}.`,
    capability: 'mcp',
    // The offer was refused if these are no schemas.
    inputs_schema: inputsSchema(inputSchema as JsonSchema),
    outputs_schema: outputsSchema(outputSchema as JsonSchema | undefined),
    ...assumed,
    timeout_ms: timeoutMs,
    ...decided,
    upstream: {
      provider: choices.provider,
      tool,
      definition_digest: digest,
      ...given({ annotations_trusted: choices.trustAnnotations ? true : undefined, tool_errors }),
    },
  };
  return { manifest, why };
}

/** Estimates how much of a model's context the tool takes. */
export function tokensOf({ tool, definition: { description, inputSchema } }: Offer): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify([tool, description, inputSchema])) / 4);
}

function textOf(value: unknown, longest: number): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') return undefined;
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
