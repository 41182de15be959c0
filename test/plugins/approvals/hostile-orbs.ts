import fc from 'fast-check';
import { defineCapability, defineProvider, type Adapter } from '../../../kernel/adapter.ts';
import { canonical } from '../../../kernel/index.ts';

/** An Orb of its own, and inputs that fit its schema. */
export interface HostileCall {
  readonly orb_id: string;
  readonly manifest: object;
  readonly inputs: Readonly<Record<string, unknown>>;
}

// What a reader cannot see or takes for something else, next to what programs write with care.
const pieces = fc.oneof(
  fc.constantFrom(
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069', '\u200e', '\u200f'],
    ...['\u061c', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u115f', '\u3164', '\u2800'],
    ...['\u0001', '\u0007', '\u0008', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\r', '\n', '\t'],
    ...['\u00a0', '\u2003', '\u3000', '\u{e0041}', '\u{e0100}', '\ufe0f', '\uffff', '\u{10ffff}', '\ue000'],
    ...['\u0430', '\u0440', '\u0443', '\u03bf', '\u0391', '\u0585', '\u13a0', '\uff41', '\u{1d41a}', '\ufb01'],
    ...['\u2044', '\u2215', '\u2010', '\u2236', '\u0966', '\u0338', '\u0301\u0302\u0303', '\u05e9\u05dc', '\u0627'],
    ...[
      '"',
      '\\',
      '\\u202e',
      '\\n',
      '<b>',
      '</code>',
      '<script>',
      '&amp;',
      "'",
      '`',
      '{link}',
      '${x}',
      '%00',
      '\u{1f468}',
    ],
  ),
  fc.constantFrom('a', 'paypal', '.com', ' ', '1', '10', '@', '/', '', 'e\u0301'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
// The API takes no U+0000.
const joined = (all: readonly string[]): string => all.join('').replaceAll('\0', '');
const text = fc.array(pieces, { maxLength: 12 }).map(joined);
const name = fc
  .array(pieces, { minLength: 1, maxLength: 4 })
  .map(joined)
  .filter((all) => all !== '' && all !== '__proto__');

interface Member {
  readonly schema: object;
  readonly value: unknown;
}

const leaf: fc.Arbitrary<Member> = fc.oneof(
  text.map((value) => ({ schema: { type: 'string' }, value })),
  fc.maxSafeInteger().map((value) => ({ schema: { type: 'integer' }, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'number' }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc
    .array(text, { maxLength: 3 })
    .map((value) => ({ schema: { type: 'array', maxItems: 100, items: { type: 'string' } }, value })),
  fc.constant({ schema: { type: ['string', 'null'] }, value: null }),
);

const objectOf = (members: readonly (readonly [string, Member])[]): Member => ({
  schema: {
    type: 'object',
    additionalProperties: false,
    required: members.filter((_, at) => at % 2 === 0).map(([key]) => key),
    properties: Object.fromEntries(members.map(([key, { schema }]) => [key, schema])),
  },
  value: Object.fromEntries(members.map(([key, { value }]) => [key, value])),
});
const membersOf = (one: fc.Arbitrary<Member>, maxLength: number) =>
  fc.uniqueArray(fc.tuple(name, one), { selector: ([key]) => key, minLength: 1, maxLength }).map(objectOf);

const calls = membersOf(fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: membersOf(leaf, 3) }), 5);

/** Makes as many Orbs with hostile names and inputs as asked for, the same ones for the same seed. */
export function hostileCalls(count: number, seed: number): readonly HostileCall[] {
  return fc.sample(calls, { numRuns: count, seed }).map(({ schema, value }, at) => {
    const orb_id = `same.n${at}@1.0.0`;
    const manifest = {
      ...{
        manifest_version: 1,
        orb_id,
        title: `Same ${at}`,
        description: 'Keeps what it is given.',
        capability: 'keep',
      },
      ...{ inputs_schema: schema, outputs_schema: { type: 'object' }, effect: 'irreversible', action_class: 'write' },
      ...{ data_classes: ['internal'], timeout_ms: 60_000 },
    };
    return { orb_id, manifest, inputs: value as HostileCall['inputs'] };
  });
}

/** Makes the adapter `keep/local`, and the list of the canonical texts of the inputs that it was given. */
export function keeper(): { readonly adapter: Adapter; readonly kept: string[] } {
  const kept: string[] = [];
  const adapter = defineProvider({
    name: 'local',
    capability: defineCapability({ name: 'keep', title: 'Keeps what it is given' }),
    config: { type: 'object', additionalProperties: false, properties: {} },
    open: () => ({
      execute(inputs) {
        kept.push(canonical(inputs));
        return Promise.resolve({});
      },
    }),
  });
  return { adapter, kept };
}
