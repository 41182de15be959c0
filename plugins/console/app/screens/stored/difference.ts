import type { FormSchema } from '../../parts/form/schema.ts';

/** The members of a provider that differ. */
export interface Difference {
  /** JSON Pointer in the provider. */
  readonly pointer: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** As JSON; absent for secrets. */
  readonly before?: string;
  readonly after?: string;
}

type Value = Readonly<Record<string, unknown>>;

interface Leaf {
  readonly text: string;
  readonly secret: boolean;
}

const isRecord = (value: unknown): value is Value => typeof value === 'object' && value !== null;

/** Lists what differs between two providers. A secret that both have counts as changed: it is sent again, unseen. */
export function differenceOf(before: Value | undefined, after: Value, schema: FormSchema): readonly Difference[] {
  const [old, next] = [leavesOf(before ?? {}, schema), leavesOf(after, schema)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((pointer): readonly Difference[] => {
    const [one, other] = [old.get(pointer), next.get(pointer)];
    const texts = {
      ...(one === undefined || one.secret ? {} : { before: one.text }),
      ...(other === undefined || other.secret ? {} : { after: other.text }),
    };
    if (one === undefined) return [{ pointer, change: 'added', ...texts }];
    if (other === undefined) return [{ pointer, change: 'removed', ...texts }];
    return one.text === other.text && !other.secret ? [] : [{ pointer, change: 'changed', ...texts }];
  });
}

/** Replaces the secrets of a provider, to show it. */
export function masked(value: unknown, schema: FormSchema | undefined): unknown {
  if (schema?.secret) return '…';
  if (Array.isArray(value)) return value.map((item) => masked(item, schema?.items));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one, memberOf(schema, name))]));
}

/** Fills in an empty text for each secret, by its JSON Pointer in the configuration. */
export function withBlanks(config: Value, pointers: readonly string[]): Value {
  const filled = structuredClone(config) as Record<string, unknown>;
  for (const pointer of pointers) {
    const names = pointer
      .slice(1)
      .split('/')
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() ?? '';
    let within = filled;
    for (const name of names) {
      if (!Object.hasOwn(within, name)) within[name] = {};
      within = within[name] as Record<string, unknown>;
    }
    within[last] = '';
  }
  return filled;
}

function memberOf(schema: FormSchema | undefined, name: string): FormSchema | undefined {
  const { additionalProperties: rest, properties = {} } = schema ?? {};
  return Object.hasOwn(properties, name) ? properties[name] : typeof rest === 'object' ? rest : undefined;
}

function leavesOf(value: unknown, schema: FormSchema | undefined, at = ''): ReadonlyMap<string, Leaf> {
  const isLeaf = !isRecord(value) || (Array.isArray(value) && !value.some(isRecord));
  if (isLeaf) return new Map([[at, { text: JSON.stringify(value), secret: schema?.secret === true }]]);
  return new Map(
    Object.entries(value).flatMap(([name, one]) => {
      const below = Array.isArray(value) ? schema?.items : memberOf(schema, name);
      return [...leavesOf(one, below, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)];
    }),
  );
}
