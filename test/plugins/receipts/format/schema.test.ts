import { expect } from 'chai';
import fc from 'fast-check';
import { compile, type JsonSchema } from '../../../../kernel/index.ts';
import { runStatement } from '../../../../plugins/receipts/contract.ts';
import { findMisfit, isTime, schemaFault } from '../../../../plugins/receipts/format/schema.ts';
import { vectorStatement } from '../sample.ts';

type Json = Record<string, unknown>;

/** Lists the objects and arrays inside a value. */
function nodes(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(nodes)];
}

describe('the verifier’s own reading of a schema', () => {
  it('agrees with ajv on the vector and on random changes of it', () => {
    const validate = compile(runStatement);
    expect(findMisfit(runStatement, vectorStatement())).to.equal(undefined);
    const other = fc.constantFrom<unknown>('', 'x', 'live', 0, -1, 1.5, 2, true, null, [], {}, ['x'], undefined);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), other, fc.boolean(), (node, member, value, added) => {
        const changed = vectorStatement();
        const all = nodes(changed);
        const target = all[node % all.length] ?? {};
        const names = Object.keys(target);
        const name = added || names.length === 0 ? 'x' : (names[member % names.length] ?? 'x');
        if (Array.isArray(target) && name === 'x') target.push(value ?? 1);
        else if (value === undefined && !Array.isArray(target)) delete target[name];
        else target[name] = value ?? 1;
        expect(findMisfit(runStatement, changed) === undefined).to.equal(validate(changed).length === 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('points at what breaks it', () => {
    const changed = vectorStatement() as unknown as { predicate: { facts: { attempts: Json[] } } };
    const [attempt] = changed.predicate.facts.attempts;
    if (attempt !== undefined) attempt['latency_ms'] = 1.5;
    expect(findMisfit(runStatement, changed)).to.equal('/predicate/facts/attempts/0/latency_ms');
  });

  it('refuses a schema with a rule it does not know', () => {
    expect(() => findMisfit({ type: 'string', format: 'email' }, 'x')).to.throw('format');
    expect(() => findMisfit({ type: 'number' }, 1)).to.throw('type');
  });

  const text = { type: 'string' } as const;
  const thing = { type: 'object', required: ['a'], properties: { a: text }, additionalProperties: false } as const;
  for (const [what, schema, value, at] of [
    ['a constant', { const: 1 }, 1, undefined],
    ['another constant', { const: 1 }, 2, ''],
    ['a word of an enum', { enum: ['a', 'b'] }, 'b', undefined],
    ['another word', { enum: ['a', 'b'] }, 'c', ''],
    ['what must not be', { not: { const: 1 } }, 1, ''],
    ['what may be', { not: { const: 1 } }, 2, undefined],
    ['one of several', { anyOf: [{ const: 1 }, { const: 2 }] }, 2, undefined],
    ['none of several', { anyOf: [{ const: 1 }, { const: 2 }] }, 3, ''],
    ['none of several, the deepest place', { anyOf: [text, thing] }, { a: 1 }, '/a'],
    ['none of several, whichever is first', { anyOf: [thing, text] }, { a: 1 }, '/a'],
    ['a member missing', thing, {}, '/a'],
    ['a member too many', thing, { a: '', b: 1 }, '/b'],
    ['a name that every object has', thing, { a: '', constructor: 1 }, '/constructor'],
    ['a required name that every object has', { type: 'object', required: ['constructor'] }, {}, '/constructor'],
    ['more members of an open object', { ...thing, additionalProperties: true }, { a: '', b: 1 }, undefined],
    ['a list instead of an object', thing, [], ''],
    ['an object instead of a list', { type: 'array' }, {}, ''],
    ['a list of any items', { type: 'array' }, [1, 'x'], undefined],
    ['the fewest items', { type: 'array', minItems: 1 }, [1], undefined],
    ['too few items', { type: 'array', minItems: 1 }, [], ''],
    ['the most items', { type: 'array', maxItems: 1 }, [1], undefined],
    ['too many items', { type: 'array', maxItems: 1 }, [1, 2], ''],
    ['an item that does not fit', { type: 'array', items: text }, ['a', 1], '/1'],
    ['the shortest text', { ...text, minLength: 2 }, 'ab', undefined],
    ['a text too short', { ...text, minLength: 2 }, 'a', ''],
    ['a text of a pattern', { ...text, pattern: '^.$' }, '😀', undefined],
    ['a text of no pattern', { ...text, pattern: '^a$' }, 'b', ''],
    ['a day', { ...text, format: 'date' }, '2026-02-28', undefined],
    ['no day', { ...text, format: 'date' }, '2026-02-29', ''],
    ['a time', { ...text, format: 'date-time' }, '2026-02-28T00:00:00.000Z', undefined],
    ['no time', { ...text, format: 'date-time' }, '2026-02-28T24:00:00.000Z', ''],
    ['a number instead of a text', text, 1, ''],
    ['the least number', { type: 'integer', minimum: 1 }, 1, undefined],
    ['a number too small', { type: 'integer', minimum: 1 }, 0, ''],
    ['the largest number', { type: 'integer', maximum: 1 }, 1, undefined],
    ['a number too large', { type: 'integer', maximum: 1 }, 2, ''],
    ['a fraction', { type: 'integer' }, 0.5, ''],
    ['a number below 0', { type: 'integer' }, -1, undefined],
    ['false', { type: 'boolean' }, false, undefined],
    ['a word for true', { type: 'boolean' }, 'true', ''],
    ['anything where nothing is said', {}, null, undefined],
  ] as readonly (readonly [string, JsonSchema, unknown, string | undefined])[])
    it(`${at === undefined ? 'lets pass' : 'finds'} ${what}`, () => {
      expect(findMisfit(schema, value)).to.equal(at);
    });

  it('takes a time that exists, in one spelling, or none at all', () => {
    for (const time of [undefined, '2026-11-20T20:00:00.342Z']) expect(isTime(time)).to.equal(true);
    for (const time of ['2026-11-31T20:00:00.342Z', '2026-11-20T20:00:00Z', '2026-11-20', '', null, 0])
      expect(isTime(time), JSON.stringify(time)).to.equal(false);
  });
});

describe('a schema that the verifier can check', () => {
  const deep = (schema: unknown) => ({ properties: { a: { items: { anyOf: [{}, { not: schema }] } } } });

  it('has no fault', () => {
    expect(schemaFault(runStatement)).to.equal(undefined);
    for (const schema of [{}, deep({ type: 'string', format: 'date' }), { type: 'object', properties: {} }])
      expect(schemaFault(schema)).to.equal(undefined);
  });

  for (const [what, schema, fault] of [
    ['a keyword', { if: {} }, 'uses if at PLACE, which verifiers do not know'],
    ['a type', { type: 'number' }, 'has at PLACE a type that verifiers do not know'],
    ['a list of types', { type: ['string'] }, 'has at PLACE a type that verifiers do not know'],
    ['a format', { format: 'email' }, 'has at PLACE a format that verifiers do not know'],
    ['something that is no schema', true, 'has no valid schema at PLACE'],
  ] as const)
    it(`has not ${what}, at any depth`, () => {
      expect(schemaFault(schema)).to.equal(fault.replace('PLACE', ''));
      expect(schemaFault(deep(schema))).to.equal(fault.replace('PLACE', '/a/*/1/*'));
      const { properties } = deep(schema);
      expect(schemaFault({ properties: { first: {}, ...properties } })).to.equal(fault.replace('PLACE', '/a/*/1/*'));
    });
});
