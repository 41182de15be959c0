import type { JsonSchema } from '../../kernel/index.ts';

type Replace = (pointer: string, value: unknown) => unknown;

/** Replaces each value that the schema marks `secret`; undefined removes it. */
export function withoutSecrets(config: object, schema: JsonSchema, replace: Replace): Record<string, unknown> {
  return replaced(config, schema, { at: '', replace }) as Record<string, unknown>;
}

/** Lists where a configuration has secrets, as JSON pointers. */
export function secretsOf(config: object, schema: JsonSchema): readonly string[] {
  const found: string[] = [];
  withoutSecrets(config, schema, (pointer) => void found.push(pointer));
  return found;
}

interface Walk {
  readonly at: string;
  readonly replace: Replace;
}

function replaced(value: unknown, schema: JsonSchema, { at, replace }: Walk): unknown {
  if (schema['secret'] === true) return replace(at, value);
  if (typeof value !== 'object' || value === null) return value;
  const schemaOf = memberSchemas(schema, Array.isArray(value));
  const below = (name: string, member: unknown): unknown => {
    const known = schemaOf(name);
    return known === undefined ? member : replaced(member, known, { at: `${at}/${escaped(name)}`, replace });
  };
  if (Array.isArray(value)) return value.map((item, index) => below(String(index), item));
  const members = Object.entries(value).map(([name, member]) => [name, below(name, member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function memberSchemas(schema: JsonSchema, isList: boolean): (name: string) => JsonSchema | undefined {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const rest = schema[isList ? 'items' : 'additionalProperties'];
  const others = typeof rest === 'object' && rest !== null ? (rest as JsonSchema) : undefined;
  return (name) => (!isList && Object.hasOwn(properties, name) ? properties[name] : others);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
