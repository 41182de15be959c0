import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OrbSchemas } from '../../../../plugins/clients/generate/orbs.ts';
import { seeded } from '../vectors/mutants.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A value, and whether it fits the schema of the inputs of an Orb. */
export interface Literal {
  readonly orb: number;
  readonly value: unknown;
  readonly fits: boolean;
}

/** Orbs with random schemas, and values that fit some of them. */
export interface Literals {
  readonly orbs: readonly OrbSchemas[];
  readonly literals: readonly Literal[];
}

/** Makes schemas of what types can say (no limits, no unions of objects) and values that fit or nearly fit. */
export function randomLiterals(count: number, seed: number): Literals {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const ajv = new Ajv2020({ allowUnionTypes: true });

  const plain = (): Schema =>
    pick<Schema>([
      ...[{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: ['string', 'null'] }, { const: 'x' }],
      ...[{ enum: ['a', 'b', 3] }, { anyOf: [{ type: 'number' }, { enum: ['none'] }] }],
    ]);
  const schemaOf = (depth: number): Schema => {
    if (depth === 0 || random() < 0.3) return plain();
    return random() < 0.3 ? { type: 'array', items: schemaOf(depth - 1) } : objectOf(depth);
  };
  const objectOf = (depth: number): Schema => {
    const names = ['a', 'b-c', 'd e'].slice(0, 1 + Math.floor(random() * 3));
    return {
      type: 'object',
      ...(random() < 0.85 ? { additionalProperties: false } : {}),
      required: names.filter(() => random() < 0.6),
      properties: Object.fromEntries(names.map((name) => [name, schemaOf(depth - 1)])),
    };
  };
  const anything = (): unknown => pick<unknown>(['x', 'a', 'none', '', 3, 1.5, true, null, [], ['x'], {}, { a: 'x' }]);
  const valueOf = (schema: Schema): unknown => {
    // Sometimes another value than one that fits.
    if (random() < 0.12) return anything();
    const { anyOf, const: only, enum: some, items, properties, required, type } = schema;
    if (only !== undefined) return only;
    if (Array.isArray(some)) return pick(some) as unknown;
    if (Array.isArray(anyOf)) return valueOf(pick(anyOf as readonly Schema[]));
    if (type === 'array') return Array.from({ length: Math.floor(random() * 3) }, () => valueOf(items as Schema));
    if (type !== 'object') return { string: 'text', number: 2, boolean: false }[String([type].flat()[0])];
    const members = Object.entries(properties as Readonly<Record<string, Schema>>).filter(
      ([name]) => random() < ((required as readonly string[]).includes(name) ? 0.95 : 0.5),
    );
    const more = random() < 0.1 ? [['more', 1] as const] : [];
    return Object.fromEntries([...members.map(([name, member]) => [name, valueOf(member)] as const), ...more]);
  };

  const orbs = Array.from({ length: count }, (_, at) => ({
    ...{ orb_id: `test.orb${at}@1.0.0`, inputs_schema: objectOf(3), outputs_schema: { type: 'object' } },
  }));
  const literals = orbs.flatMap(({ inputs_schema }, orb) => {
    const validate = ajv.compile(inputs_schema);
    return Array.from({ length: 8 }, () => {
      const value = valueOf(inputs_schema);
      return { orb, value, fits: validate(value) };
    });
  });
  return { orbs, literals };
}
