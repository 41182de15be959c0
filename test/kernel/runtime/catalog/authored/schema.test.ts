import { expect } from 'chai';
import { authoredCompiler } from '../../../../../kernel/runtime/catalog/authored/schema.ts';
import { placesOf, resolveReferences } from '../../../../../kernel/runtime/catalog/authored/places.ts';
import type { Fault } from '../../../../../kernel/tools/schema/fault.ts';
import type { Validator } from '../../../../../kernel/tools/schema.ts';

const namesOf = (count: number, value: (at: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, value(at)]));

interface Compiled {
  readonly refused: readonly string[];
  readonly faultsOf: Validator;
}

function compile(schema: object, compiler = authoredCompiler()): Compiled {
  const refused: string[] = [];
  const validate = compiler({ type: 'object', ...schema }, (pointer) => refused.push(pointer));
  expect(validate === undefined).to.equal(refused.length > 0);
  return { refused, faultsOf: (value) => validate?.(value) ?? [] };
}

const details = (faults: readonly Fault[]): string => faults.map(({ detail }) => detail).join();
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });

describe('a schema of an author', () => {
  for (const [schema, pointer] of [
    [{ $ref: '#' }, '#/$ref'],
    [{ $ref: '' }, '#/$ref'],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '#/$defs/b/$ref'],
    [{ allOf: [{ $ref: '#' }] }, '#/allOf/0/$ref'],
    [{ anyOf: [{}, { $ref: '#' }] }, '#/anyOf/1/$ref'],
    [{ oneOf: [{ $ref: '#' }] }, '#/oneOf/0/$ref'],
    [{ not: { $ref: '#' } }, '#/not/$ref'],
    [{ if: { $ref: '#' }, then: {} }, '#/if/$ref'],
    [{ if: {}, then: { $ref: '#' } }, '#/then/$ref'],
    [{ if: {}, then: {}, else: { $ref: '#' } }, '#/else/$ref'],
    [{ dependentSchemas: { a: { $ref: '#' } } }, '#/dependentSchemas/a/$ref'],
    [{ dependencies: { a: { $ref: '#' } } }, '#/dependencies/a/$ref'],
    [{ properties: { a: { $ref: '#/properties/a' } } }, '#/properties/a/$ref'],
    [{ properties: { a: { allOf: [{ $ref: '#/%70roperties/a' }] } } }, '#/properties/a/allOf/0/$ref'],
    [{ $id: 'https://a.test/b', allOf: [{ $ref: 'https://a.test/b#' }] }, '#/allOf/0/$ref'],
    // Whatever else may lead back unseen.
    [{ $dynamicRef: '#a' }, '#/$dynamicRef'],
    [{ $dynamicAnchor: 'a' }, '#/$dynamicAnchor'],
    [{ $recursiveRef: '#' }, '#/$recursiveRef'],
    [{ properties: { a: { $id: 'https://a.test/b' } } }, '#/properties/a/$id'],
    [{ $ref: '#/default', default: { $ref: '#' } }, '#/$ref'],
    [{ $ref: 'https://a.test/other' }, '#/$ref'],
    [{ $ref: '#/$defs/none' }, '#/$ref'],
    [{ $ref: '#/%zz' }, '#/$ref'],
    // What is no keyword of an author's.
    [{ $async: true }, '#/$async'],
    [{ properties: { a: { $work: { value: 0, part: 0 } } } }, '#/properties/a/$work'],
    [{ properties: { 'a b': { pattern: '(a)\\1' } } }, '#/properties/a%20b/pattern'],
    [{ patternProperties: { '(?=a)/': {} } }, '#/patternProperties/(%3F%3Da)~1'],
  ] as const)
    it(`${JSON.stringify(schema)} is refused at ${pointer}`, () => {
      expect(compile(schema).refused).to.deep.equal([pointer]);
    });

  for (const [schema, fits, not] of [
    [{ properties: { a: { $ref: '#' } } }, nested(64), { a: { a: 1 } }],
    [{ properties: { a: { items: { $ref: '#' } } } }, { a: [{ a: [] }] }, { a: [{ a: [1] }] }],
    [{ additionalProperties: { $ref: '#' } }, { b: { c: {} } }, { b: { c: 1 } }],
    [{ properties: { a: { anyOf: [{ type: 'null' }, { $ref: '#' }] } } }, { a: { a: null } }, { a: { a: 1 } }],
    [{ $ref: '#/$defs/a', $defs: { a: { required: ['b'] } } }, { b: 1 }, {}],
    [{ $ref: '#/%24defs/a%20b~1~0', $defs: { 'a b/~': { required: ['b'] } } }, { b: 1 }, {}],
    [{ $ref: '#/$defs/ä%25%22%27', $defs: { 'ä%"\'': { required: ['b'] } } }, { b: 1 }, {}],
    [{ $id: 'https://a.test/b', properties: { a: { $ref: 'https://a.test/b#' } } }, { a: {} }, { a: 1 }],
    [{ allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: { required: ['b'] } } }, { b: 1 }, { a: 1 }],
    [
      {
        properties: { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {} },
        patternProperties: { '^(a+)+$': { type: 'null' } },
      },
      { a: null, b: 1 },
      { a: 1 },
    ],
    [
      { properties: { a: { uniqueItems: true } } },
      { a: [1, '1', [1], { b: 1, c: 2 }] },
      {
        a: [
          { b: 1, c: 2 },
          { c: 2, b: 1 },
        ],
      },
    ],
    [{ properties: { a: { uniqueItems: true } } }, { a: [0, '0', null, false] }, { a: [[[1]], [[1]]] }],
    [{ properties: { a: { uniqueItems: false } } }, { a: [1, 1] }, []],
  ] as const)
    it(`${JSON.stringify(schema)} is one, and is kept to`, () => {
      const { faultsOf } = compile(schema);
      expect([faultsOf(fits), faultsOf(not).length > 0]).to.deep.equal([[], true]);
    });

  it('writes each reference to a place in one way: ajv compiles what it names once for each way', () => {
    for (const $ref of ['#/$defs/a', '#/%24defs/a', '#/$%64efs/%61', 'https://a.test/b#/$defs/a']) {
      const schema = { $defs: { a: {} }, $ref };
      resolveReferences(
        placesOf(schema, () => undefined),
        'https://a.test/b',
        (pointer) => expect.fail(pointer),
      );
      expect(schema.$ref).to.equal('#/$defs/a');
    }
  });

  for (const [what, schema] of Object.entries({
    keywords: { properties: namesOf(500, () => ({ minLength: 1 })) },
    subschemas: { allOf: Array.from({ length: 1000 }, () => true) },
    references: { $defs: { a: {} }, properties: namesOf(500, () => ({ $ref: '#/$defs/a' })) },
    values: { properties: { a: { enum: Array.from({ length: 2000 }, (_, at) => at) } } },
    names: { required: Array.from({ length: 2000 }, (_, at) => `p${at}`) },
    'faulty parts': { properties: namesOf(6000, () => 5) },
    'long names': { properties: { ['n'.repeat(30_000)]: { allOf: Array.from({ length: 10 }, () => ({})) } } },
    'dependent names': { dependentRequired: namesOf(1000, () => ['a', 'b']) },
  }))
    it(`with too many ${what} is refused, also together with that of the other side`, () => {
      expect(() => compile(schema)).to.throw('more than 1000 keywords');
      const compiler = authoredCompiler();
      compile({ properties: namesOf(300, () => ({ minLength: 1 })) }, compiler);
      expect(() => compile({ properties: namesOf(300, () => ({ minLength: 1 })) }, compiler)).to.throw(
        'more than 1000',
      );
    });

  it('of just 1000 keywords is taken, of one more refused', () => {
    const subschemas = (count: number) => ({ allOf: Array.from({ length: count }, () => ({})) });
    expect(compile(subschemas(997)).refused).to.deep.equal([]);
    expect(() => compile(subschemas(998))).to.throw('more than 1000 keywords');
  });

  it('that is faulty is refused with the first faults alone', () => {
    expect(() => compile({ properties: namesOf(400, () => ({ type: 'x' })) })).to.throw(
      /^schema is invalid: .{1,300}$/,
    );
  });

  it('with too many or too large patterns is refused', () => {
    expect(
      compile({ properties: namesOf(300, (at) => ({ pattern: `^a{1,3}(b|c)${at}` })) }).refused,
    ).to.have.length.above(0);
    expect(compile({ properties: namesOf(6, (at) => ({ pattern: `(a|b){300}${at}` })) }).refused).to.have.length(2);
    const deep = (at: number): object => ({ pattern: `${'('.repeat(900)}a${')'.repeat(900)}${at}` });
    expect(compile({ properties: namesOf(6, deep) }).refused).to.have.length(2);
  });

  const wide = (depth: number): object =>
    namesOf(depth + 1, (at) =>
      at === depth ? { type: 'string' } : { allOf: Array.from({ length: 2 }, () => ({ $ref: `#/$defs/p${at + 1}` })) },
    );
  for (const [what, schema, value] of [
    [
      'a reference that doubles at each step',
      { $defs: wide(40), properties: { a: { $ref: '#/$defs/p0' } } },
      { a: 'b' },
    ],
    [
      'a recursion that doubles at each level',
      { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] },
      nested(60),
    ],
    [
      'a text times a large pattern',
      { properties: { a: { pattern: '(a|b)*a(a|b){300}$' } } },
      { a: 'ab'.repeat(60_000) },
    ],
    [
      'a text times many lengths',
      { properties: { a: { allOf: Array.from({ length: 100 }, () => ({ maxLength: 2_000_000 })) } } },
      { a: 'a'.repeat(1_000_000) },
    ],
    [
      'members times many names',
      {
        properties: namesOf(300, () => true),
        additionalProperties: true,
        allOf: Array.from({ length: 90 }, () => ({ maxProperties: 99_999 })),
      },
      namesOf(60_000, () => 1),
    ],
    [
      'items times values',
      { properties: { a: { items: { enum: Array.from({ length: 1500 }, (_, at) => at) } } } },
      { a: Array(300_000).fill(1) },
    ],
    [
      'items compared many times',
      { allOf: Array.from({ length: 150 }, () => ({ properties: { a: { uniqueItems: true } } })) },
      { a: Array.from({ length: 20_000 }, (_, at) => ({ member: `item ${at}` })) },
    ],
  ] as const)
    it(`ends although a value takes too long: ${what}`, () => {
      const { faultsOf } = compile(schema);
      expect(details(faultsOf(value))).to.include('takes too long to check');
      expect(faultsOf({})).to.deep.equal([]);
    });

  it('tells the first fault of a large value, and looks for no other', () => {
    const { faultsOf } = compile({
      properties: { a: { items: { $ref: '#/$defs/s' } } },
      $defs: { s: { type: 'string' } },
    });
    expect(details(faultsOf({ a: Array(300_000).fill(1) }))).to.equal('must be a string');
  });

  it('takes a hundred thousand different items for unique without comparing each with each', () => {
    const { faultsOf } = compile({ properties: { a: { uniqueItems: true } } });
    expect(faultsOf({ a: Array.from({ length: 150_000 }, (_, at) => at) })).to.deep.equal([]);
  });

  it('says that a value is nested too deeply for a long way of references at each level', () => {
    const way = namesOf(300, (at) => ({ $ref: at === 299 ? '#' : `#/$defs/p${at + 1}` }));
    const { faultsOf } = compile({ $defs: way, properties: { a: { $ref: '#/$defs/p0' } } });
    expect(faultsOf(nested(3))).to.deep.equal([]);
    expect(details(faultsOf(nested(2000)))).to.equal('is nested too deeply for the schema');
  });

  it('large inputs of ordinary schemas fit', () => {
    const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$', maxLength: 900_000 };
    const row = {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: { id: { type: 'integer', minimum: 0 } },
    };
    const { faultsOf } = compile({
      properties: {
        text: base64,
        rows: { type: 'array', items: row },
        tags: { items: { pattern: '^[a-z]+(-[a-z]+)*$' } },
      },
    });
    expect(faultsOf({ text: 'A'.repeat(900_000) })).to.deep.equal([]);
    expect(faultsOf({ rows: Array.from({ length: 100_000 }, (_, id) => ({ id })) })).to.deep.equal([]);
    expect(faultsOf({ tags: Array(50_000).fill('some-tag') })).to.deep.equal([]);
  });
});
