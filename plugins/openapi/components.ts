/** The parts of an OpenAPI document that stand once and are referenced by name. */
export interface Components {
  /**
   * Copies a schema. A schema with an `$id`, or with a title that is a name (`OrbId`), becomes a component at any depth
   * and is replaced by a reference. The description that most uses have describes the component; a different one stands
   * beside its reference.
   */
  place(schema: unknown): unknown;
  /** Copies a schema of an answer and leaves its objects open, so that today's clients accept members added later. */
  placeAnswer(schema: unknown): unknown;
  /** Refers to a component of a kind, made when it is first named. */
  refer(kind: 'headers' | 'parameters' | 'responses', name: string, make: () => object): object;
  all(): Readonly<Record<string, object>>;
}

/** Creates an empty set of components. `place` throws when two different schemas have one `$id`. */
export function createComponents(): Components {
  const schemas = new Map<string, { source: string; schema: object }>();
  const uses: Use[] = [];
  const others = { headers: new Map<string, object>(), parameters: new Map(), responses: new Map() } as const;
  const placeWith = (shape: Shape, value: unknown): unknown => {
    const place = (inner: unknown): unknown => placeWith(shape, inner);
    if (Array.isArray(value)) return value.map(place);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, title, description, ...rest } = value as Readonly<Record<string, unknown>>;
    const named = typeof $id === 'string' ? $id : typeof title === 'string' && isName.test(title) ? title : undefined;
    if (named === undefined || !keep(named, rest, $id === named, (part) => shape(members(part, place))))
      return shape(members(value, place));
    const reference = { $ref: `#/components/schemas/${named}`, description };
    uses.push([named, reference]);
    return reference;
  };
  // Says whether the name belongs to this schema. An `$id` must; if two schemas share a title, the later one stays
  // inline.
  const keep = (name: string, schema: object, must: boolean, copy: (schema: object) => object): boolean => {
    const source = JSON.stringify(schema);
    const other = schemas.get(name);
    if (other === undefined) {
      schemas.set(name, { source, schema: {} });
      schemas.set(name, { source, schema: copy(schema) });
    } else if (other.source !== source && must) throw new Error(`two schemas have the $id ${name}`);
    return other === undefined || other.source === source;
  };
  return {
    place: (schema) => placeWith(opened, schema),
    placeAnswer: (schema) => placeWith(answered, schema),
    refer(kind, name, make) {
      if (!others[kind].has(name)) others[kind].set(name, make());
      return { $ref: `#/components/${kind}/${name}` };
    },
    all: () => ({
      schemas: sorted([...schemas].map(([name, { schema }]) => [name, { ...usualDescription(name, uses), ...schema }])),
      ...Object.fromEntries(Object.entries(others).map(([kind, found]) => [kind, sorted([...found])])),
    }),
  };
}

/** A reference to a component, with the description at that place. */
type Use = readonly [name: string, reference: { description?: unknown }];

/** Finds the description that most uses of a component have, and removes it from them: it describes the component. */
function usualDescription(name: string, uses: readonly Use[]): { description?: unknown } {
  const own = uses.filter(([named, { description }]) => named === name && description !== undefined);
  const said = [...Map.groupBy(own, ([, { description }]) => description)].sort(([, a], [, b]) => b.length - a.length);
  const [description, found = []] = said[0] ?? [];
  for (const [, reference] of found) delete reference.description;
  return description === undefined ? {} : { description };
}

const isName = /^[A-Z][A-Za-z0-9]*$/;

// Enumerations, defaults and examples are values, not schemas.
const values: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

function members(schema: object, place: (value: unknown) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, values.has(name) ? member : place(member)]),
  );
}

type Shape = (schema: Readonly<Record<string, unknown>>) => object;

function answered({ additionalProperties, ...schema }: Readonly<Record<string, unknown>>): object {
  const listed = 'properties' in schema && additionalProperties === false;
  return opened(listed || additionalProperties === undefined ? schema : { ...schema, additionalProperties });
}

const shapes = ['properties', 'additionalProperties', 'patternProperties', 'propertyNames', '$ref', 'not'];
const combinations = ['allOf', 'anyOf', 'oneOf', 'if'];

// Client generators treat an object that declares nothing about its members as one without members.
function opened(schema: Readonly<Record<string, unknown>>): object {
  const { type, ...rest } = schema;
  // ogen and oapi-codegen stop at a list of several types; Java code of openapi-generator does not compile with one that
  // has any object, or with a set of enumerated values.
  const several = Array.isArray(type) && type.filter((one) => one !== 'null').length > 1;
  if (several)
    return type.includes('object') ? rest : { ...rest, oneOf: type.map((one: string) => opened({ type: one })) };
  const { uniqueItems, ...list } = schema;
  if (uniqueItems === true && 'enum' in Object(schema['items'])) return list;
  // ogen needs the type of a constant, and of an enumeration with a default or as an item.
  const listed: unknown = schema['enum'] ?? [schema['const']];
  if (type === undefined && Array.isArray(listed) && listed.every((one) => typeof one === 'string'))
    return { type: 'string', ...schema };
  if (type === undefined && Number.isInteger(schema['const'])) return { type: 'integer', ...schema };
  // openapi-generator takes an integer without a format for one of 32 bits.
  if (type === 'integer' && Number(schema['maximum'] ?? 0) > 0x7fff_ffff) return { ...schema, format: 'int64' };
  const isObject = [type].flat().includes('object');
  const says = [...shapes, ...combinations].some((name) => name in schema);
  return isObject && !says ? { ...schema, additionalProperties: true } : schema;
}

function sorted(entries: readonly (readonly [string, object])[]): object {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}
