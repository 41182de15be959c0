import { code, table, words } from './table.ts';

/** The members of a JSON Schema that the documentation reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The setting accepts only a reference to a secret. */
  readonly secret?: boolean;
}

/** One member of an object, at any depth: `listen[].tls.cert`. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly text: string;
}

/** Returns the target of a `$ref`, or the schema itself when it has none. */
export type Resolve = (schema: Schema) => Schema;

const asIs: Resolve = (schema) => schema;
const deepest = 6;

/** Lists the members of a schema; members of inner objects and list items follow their parent. */
export function membersOf(given: Schema, resolve: Resolve = asIs, path = '', depth = 0): readonly Member[] {
  const schema = resolve(given);
  if (depth > deepest) return [];
  const { properties = {}, required = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, raw]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const member = resolve(raw);
    const type = typeOf(member, resolve);
    const text = textOf(member, raw.description);
    const row = { name: at, type, required: required.includes(name), secret: member.secret === true, text };
    return [row, ...below(member, resolve, at, depth)];
  });
  const branches = branchesOf(schema).flatMap((branch) => membersOf(branch, resolve, path, depth + 1));
  const known = new Set(own.map(({ name }) => name));
  return [
    ...own,
    ...[...new Map(branches.map((row) => [row.name, row])).values()].filter(({ name }) => !known.has(name)),
  ];
}

// The description next to a reference overrides the schema's own. A default is added when the text does not mention it.
function textOf({ title, description, default: preset }: Schema, told: string | undefined): string {
  const said = told ?? description;
  const named = preset === undefined || /default/i.test(said ?? '');
  const parts = [title, said, named ? undefined : `Default: ${code(JSON.stringify(preset))}`];
  return parts.flatMap((part) => (part === undefined ? [] : [part.replace(/\.$/, '')])).join('. ');
}

function below(schema: Schema, resolve: Resolve, path: string, depth: number): readonly Member[] {
  const { additionalProperties: named, items } = schema;
  return [
    ...membersOf(schema, resolve, path, depth + 1),
    ...(items === undefined ? [] : membersOf(items, resolve, `${path}[]`, depth + 1)),
    ...(typeof named === 'object' ? membersOf(named, resolve, `${path}.<name>`, depth + 1) : []),
  ];
}

/** Describes in a few words the values that a schema accepts. */
export function typeOf(given: Schema, resolve: Resolve = asIs): string {
  const schema = resolve(given);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return `one of ${schema.enum.map((one) => code(JSON.stringify(one))).join(', ')}`;
  const branches = branchesOf(schema);
  if (schema.type === undefined && branches.length > 0)
    return [...new Set(branches.map((branch) => typeOf(branch, resolve)))].join(' or ');
  const type = [schema.type ?? 'any value'].flat().join(' or ');
  const items = schema.items === undefined ? '' : ` of ${typeOf(schema.items, resolve)}`;
  return `${type}${items}${limitsOf(schema)}`;
}

function limitsOf({ minimum, maximum, maxLength, minItems, maxItems, format }: Schema): string {
  const parts = [
    format,
    rangeOf(minimum, maximum),
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    rangeOf(minItems, maxItems),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

function rangeOf(least: number | undefined, most: number | undefined): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? undefined : `at most ${most}`;
}

/** Writes a table of settings. */
export function settingsTable(members: readonly Member[]): string {
  return table(
    ['Member', 'Type', 'Required', 'Meaning'],
    members.map(({ name, type, required, secret, text }) => [
      code(name),
      secret ? 'secret: `{"$env": …}` or `{"$file": …}`' : type,
      required ? 'yes' : 'no',
      words(text),
    ]),
  );
}

/** Makes an example value of a schema from its examples, its defaults and all required members. */
export function exampleOf(given: Schema, resolve: Resolve = asIs, depth = 0): unknown {
  const schema = resolve(given);
  const first = schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
  if (first !== undefined) return first;
  const [branch] = branchesOf(schema);
  if (schema.type === undefined && schema.properties === undefined && branch !== undefined)
    return exampleOf(branch, resolve, depth + 1);
  const [type = 'object'] = [schema.type ?? 'object'].flat();
  if (type === 'object') return exampleObject(schema, resolve, depth);
  if (type === 'array') {
    const { items } = schema;
    return items === undefined || depth > deepest ? [] : [exampleOf(items, resolve, depth + 1)];
  }
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  if (type === 'null') return null;
  return schema.format === 'date-time' ? '2026-01-31T12:00:00.000Z' : '…';
}

function exampleObject({ properties = {}, required }: Schema, resolve: Resolve, depth: number): object {
  if (depth > deepest) return {};
  const members = Object.entries(properties).filter(([name]) => required?.includes(name) ?? true);
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, resolve, depth + 1)]));
}

// Leaves out branches that only list required members, because they have no type.
function branchesOf({ allOf = [], anyOf = [], oneOf = [] }: Schema): readonly Schema[] {
  const telling = ['type', 'properties', '$ref', 'const', 'enum', 'anyOf', 'oneOf'];
  return [...allOf, ...anyOf, ...oneOf].filter((branch) => telling.some((key) => key in branch));
}
