import type { JsonSchema } from '../../tools/schema.ts';

/** Makes a value that fits a simple schema: required members only; patterns are not solved. */
export function sampleOf(schema: JsonSchema | boolean, name = 'value'): unknown {
  if (typeof schema === 'boolean') return {};
  const { type, properties = {}, required = [], default: preset, examples } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  if (preset !== undefined) return preset;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (type === 'string') return text(name, schema);
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  const members = properties as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries((required as readonly string[]).map((key) => [key, sampleOf(members[key] ?? true, key)]));
}

// Addresses are asked for by the name of the field: no schema of ours says it by a format.
function text(name: string, { minLength, maxLength }: JsonSchema): string {
  const word = /^(to|cc|bcc)$|address|e-?mail/i.test(name) ? `${name.replace(/_.*/, '')}@example.com` : name;
  const url = /url|uri/i.test(name) ? 'https://service.example/' : word;
  return url.padEnd(Number(minLength ?? 0), 'x').slice(0, Number(maxLength ?? url.length));
}
