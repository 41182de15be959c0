import { canonical, digest, type Offer } from '../../../kernel/adapter.ts';
import { isObject } from './text.ts';

/** One tool as its server defines it. */
export interface ToolDefinition extends Offer {
  /** Schema of its arguments, as the server gave it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

// Members whose change changes what a caller agreed to.
const members = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

const longestName = 256;
const longestSchema = 65_536;
const deepest = 32;
// Line ends and tabs lay out a description; every other control, and every mark of direction, can hide text in it.
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** Reads the definition of a tool from a list of tools; undefined for a value that names no tool. */
export function readDefinition(value: unknown): ToolDefinition | undefined {
  if (!isObject(value)) return undefined;
  const tool = value['name'];
  if (typeof tool !== 'string' || tool === '' || tool.length > longestName) return undefined;
  const definition = Object.fromEntries(
    members.filter((member) => value[member] !== undefined).map((member) => [member, value[member]]),
  );
  const { inputSchema } = definition;
  const schema = isObject(inputSchema) ? inputSchema : {};
  const named = { tool, definition, inputSchema: schema };
  try {
    const found = digest(canonical(definition));
    const refused = refusalOf(definition);
    return { ...named, digest: found, ...(refused === undefined ? {} : { refused }) };
  } catch {
    const found = digest(JSON.stringify(definition));
    return { ...named, digest: found, refused: 'the definition contains text that is not well-formed Unicode' };
  }
}

/** Makes one definition out of two of the same name: which of them a call would reach is the server's choice. */
export function twice(one: ToolDefinition, other: ToolDefinition): ToolDefinition {
  return { ...one, digest: digest(one.digest + other.digest), refused: 'the server lists two tools of this name' };
}

/** Says whether the server calls a tool read-only. */
export function isReadOnly({ definition }: Pick<ToolDefinition, 'definition'>): boolean {
  const { annotations } = definition;
  return isObject(annotations) && annotations['readOnlyHint'] === true;
}

function refusalOf(definition: Readonly<Record<string, unknown>>): string | undefined {
  const { inputSchema, outputSchema } = definition;
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object') return 'inputSchema is not a schema of an object';
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'outputSchema is not a schema of an object';
  if (hides(definition)) return 'the definition contains control characters or text direction marks';
  for (const [name, schema] of Object.entries({ inputSchema, outputSchema })) {
    if (schema === undefined) continue;
    if (depthOf(schema) > deepest) return `${name} is nested more than ${deepest} levels deep`;
    const bytes = Buffer.byteLength(canonical(schema));
    if (bytes > longestSchema) return `${name} has ${bytes} bytes; the limit is ${longestSchema}`;
  }
  return undefined;
}

function hides(value: unknown): boolean {
  if (typeof value === 'string') return hidden.test(value);
  if (Array.isArray(value)) return value.some(hides);
  return isObject(value) && Object.entries(value).some(([name, held]) => hidden.test(name) || hides(held));
}

function depthOf(value: unknown): number {
  const held = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return held.reduce<number>((deepestHeld, one) => Math.max(deepestHeld, 1 + depthOf(one)), 0);
}
