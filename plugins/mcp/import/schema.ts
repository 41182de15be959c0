import type { JsonSchema } from '../../../kernel/index.ts';

// Keywords that hold subschemas by name, and keywords that hold plain values.
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
const plain = new Set(['enum', 'const', 'default', 'examples']);

/** Copies the schema of a tool's arguments for a manifest: without what concerns only its server's transport. */
export function inputsSchema(schema: JsonSchema): JsonSchema {
  return rewritten(schema, (place) => {
    const { 'x-mcp-header': _, ...kept } = place;
    return kept;
  });
}

const blocks = {
  type: 'array',
  items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
};
const truncated = {
  type: 'object',
  required: ['truncated', 'bytes', 'digest'],
  properties: { truncated: { const: true }, bytes: { type: 'integer' }, digest: { type: 'string' } },
};
const content = { description: 'Blocks of content; of a result that is too long, its size and digest' };

/** Makes the schema of an imported Orb's outputs: the content, and the structured result as the tool promises it. */
export function outputsSchema(schema: JsonSchema | undefined): JsonSchema {
  const properties = { content: { ...content, anyOf: [blocks, truncated] } };
  if (schema === undefined) return { type: 'object', required: ['content'], properties };
  const { $schema, ...held } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    required: ['content'],
    properties: { ...properties, structured: embedded(held) },
  };
}

const place = '#/properties/structured';

/** Moves a schema below another one: its references then begin at its new place. */
function embedded({ $id, ...schema }: JsonSchema): JsonSchema {
  const base = typeof $id === 'string' ? $id.replace(/#$/, '') : undefined;
  return rewritten(schema, (held) => {
    const { $ref } = held;
    if (typeof $ref !== 'string') return held;
    const own = base !== undefined && $ref.startsWith(base) ? $ref.slice(base.length) : $ref;
    return own === '' || own.startsWith('#') ? { ...held, $ref: `${place}${own.replace(/^#/, '')}` } : held;
  });
}

/** Rewrites each subschema, from the inside. */
function rewritten(schema: JsonSchema, rewrite: (place: JsonSchema) => JsonSchema): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isSchema(value) ? rewritten(value, rewrite) : value;
  };
  const pairs = Object.entries(schema).map(([keyword, value]) => {
    if (plain.has(keyword)) return [keyword, value] as const;
    if (!maps.has(keyword) || !isSchema(value)) return [keyword, inside(value)] as const;
    const held = Object.entries(value).map(([name, one]) => [name, inside(one)] as const);
    return [keyword, Object.fromEntries(held)] as const;
  });
  return rewrite(Object.fromEntries(pairs));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
