import type { JsonSchema } from '../../../../kernel/index.ts';

/** A subschema of a schema, at its pointer. */
export interface Place {
  readonly pointer: string;
  readonly schema: Record<string, unknown>;
  /** The keywords by which this place checks the same value again; `by` is the pointer of the keyword. */
  readonly same: Step[];
}

interface Step {
  readonly by: string;
  readonly to: string;
}

/** Reports a fault at a place of a schema. */
export type Refuse = (pointer: string, detail: string) => void;

// The keywords of 2020-12, and those of earlier drafts that its meta-schema still accepts, that hold one subschema, …
const single = new Set([
  ...['not', 'if', 'then', 'else', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  // Before 2020-12 also a list.
  ...['items', 'additionalItems', 'contains', 'unevaluatedItems'],
]);
// … a list or a map of them, …
const several = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'dependentSchemas', 'dependencies', 'properties', 'patternProperties'],
  ...['$defs', 'definitions'],
]);
// … and those whose subschemas check the same value, not a part of it.
const sameValue = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']);

const useRef = 'is not allowed; within one schema $ref says the same';
const refusedKeywords = new Map([
  ['$dynamicRef', useRef],
  ['$dynamicAnchor', useRef],
  ['$recursiveRef', useRef],
  ['$recursiveAnchor', useRef],
  // Its validator would return promises, which count as true and reject outside of any request.
  ['$async', 'is not allowed'],
  ['$work', 'is no keyword of JSON Schema'],
]);

/**
 * Finds the places of a schema, by their pointers. `grow` gets the size of each and may throw. A value that is no
 * schema counts as an empty one: the meta-schema reports it.
 */
export function placesOf(schema: JsonSchema, grow: (keywords: number) => void): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  visit(schema, '#', (place) => {
    const names = Math.ceil(namesIn(place.schema) / 2) + Math.floor(place.pointer.length / 256);
    grow(1 + Object.keys(place.schema).length + names);
    places.set(place.pointer, place);
  });
  return places;
}

function visit(value: unknown, pointer: string, found: (place: Place) => void): void {
  // A list of names below `dependencies` is no schema either.
  const schema = isObject(value) ? value : {};
  const same: Step[] = [];
  found({ pointer, schema, same });
  for (const [keyword, held] of Object.entries(schema)) {
    if (!single.has(keyword) && !several.has(keyword)) continue;
    const by = `${pointer}/${escapeName(keyword)}`;
    const one = single.has(keyword) && !Array.isArray(held);
    const below = one ? [[by, held] as const] : entriesOf(held, by);
    for (const [to, subschema] of below) {
      if (sameValue.has(keyword)) same.push({ by: to, to });
      visit(subschema, to, found);
    }
  }
}

function entriesOf(held: unknown, by: string): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(typeof held === 'object' ? { ...held } : {});
  return entries.map(([name, subschema]) => [`${by}/${escapeName(name)}`, subschema] as const);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts the values and names that a subschema itself lists; each validation goes through them. */
export function namesIn({ enum: values, required, dependentRequired }: Place['schema']): number {
  const lists: readonly unknown[] = [values, required, ...Object.values({ ...(dependentRequired as object) })];
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

/**
 * Rewrites each `$ref` as the pointer of the place that it names, also when it uses the schema's `$id`: `#/%24defs/a`
 * then equals `#/$defs/a`. Refuses a reference that names no place, or that leads back to itself for the same value.
 */
export function resolveReferences(places: ReadonlyMap<string, Place>, $id: unknown, refuse: Refuse): void {
  for (const place of places.values()) {
    refuseKeywords(place, refuse);
    const { $ref } = place.schema;
    if (typeof $ref !== 'string') continue;
    const by = `${place.pointer}/$ref`;
    const to = targetOf($ref, { $id, places });
    if (to === undefined) refuse(by, 'names no schema within this one; refer to a place such as #/$defs/name');
    else {
      place.schema['$ref'] = to;
      place.same.push({ by, to });
    }
  }
  refuseCircles(places, refuse);
}

/** Writes a name as a part of a pointer in a URI fragment, always in the same way. */
export function escapeName(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$');
}

function refuseKeywords({ pointer, schema }: Place, refuse: Refuse): void {
  for (const keyword of Object.keys(schema)) {
    const detail = refusedKeywords.get(keyword);
    if (detail !== undefined) refuse(`${pointer}/${escapeName(keyword)}`, detail);
  }
  if (schema['$id'] !== undefined)
    refuse(`${pointer}/$id`, 'is allowed at the root only; refer to the place by its pointer, such as #/$defs/name');
}

interface Known {
  readonly $id: unknown;
  readonly places: ReadonlyMap<string, Place>;
}

/** Finds the pointer of the place that a reference names, in any notation. */
function targetOf(written: string, { $id, places }: Known): string | undefined {
  const base = typeof $id === 'string' ? $id.replace(/#$/, '') : '';
  const text = base !== '' && written.startsWith(base) ? written.slice(base.length) : written;
  if (text !== '' && !text.startsWith('#')) return undefined;
  const [before, ...names] = decoded(text.slice(1)).split('/');
  if (before !== '') return undefined;
  const pointer = ['#', ...names.map((name) => escapeName(name.replaceAll('~1', '/').replaceAll('~0', '~')))].join('/');
  return places.has(pointer) ? pointer : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// No keyword of such a cycle moves to a part of the value: a validator would follow it without end.
function refuseCircles(places: ReadonlyMap<string, Place>, refuse: Refuse): void {
  const open = new Set<string>();
  const done = new Set<string>();
  const follow = (pointer: string): void => {
    open.add(pointer);
    for (const { by, to } of places.get(pointer)?.same ?? []) {
      if (open.has(to))
        refuse(by, `leads back to ${to} for the same value, without end; refer to it from properties or items`);
      else if (!done.has(to)) follow(to);
    }
    open.delete(pointer);
    done.add(pointer);
  };
  for (const pointer of places.keys()) if (!done.has(pointer)) follow(pointer);
}
