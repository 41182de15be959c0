import type { JsonSchema, Offer, OrbManifest } from '../../../kernel/index.ts';
import { assumedOf, type Assumed } from './effect.ts';
import { inputsSchema, outputsSchema } from './schema.ts';

/** The operator's choices for an import. */
export interface ImportChoices {
  readonly provider: string;
  readonly namespace: string;
  readonly trustAnnotations: boolean;
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

/** Makes the manifest of the Orb that stands for a tool. */
export function draftOf({ tool, definition, digest }: Offer, choices: ImportChoices): Drafted {
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
    upstream: {
      provider: choices.provider,
      tool,
      definition_digest: digest,
      ...(choices.trustAnnotations ? { annotations_trusted: true } : {}),
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
