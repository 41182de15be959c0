import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { packageDir } from '../../../../helpers/folder.ts';
import { createOrb } from '../../../../../plugins/runtime/catalog/orb.ts';
import { takesLines, valueOf, type FormSchema } from '../../../../../plugins/console/app/parts/form/schema.ts';
import { fieldsOf } from '../../../../../plugins/console/app/screens/try/fields.ts';
import { samplesOf } from '../../../../../plugins/console/app/screens/try/samples.ts';
import { endOf, inputsIn } from '../../../../../plugins/console/app/screens/try/saved.ts';

interface Shipped {
  readonly orb_id: string;
  readonly inputs_schema: FormSchema;
}

const shipped = readdirSync(join(packageDir, 'data/orbs'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(packageDir, 'data/orbs', name), 'utf8')) as Shipped);

describe('the inputs that a person tries an Orb with', () => {
  it('have samples for every Orb that ships', () => {
    expect(shipped.length).to.be.above(5);
    expect(shipped.filter((orb) => samplesOf(orb).length === 0).map(({ orb_id }) => orb_id)).to.deep.equal([]);
  });

  for (const manifest of shipped)
    it(`fit the schema: the samples of ${manifest.orb_id}`, () => {
      const faults: string[] = [];
      const orb = createOrb(manifest, faults);
      expect(faults).to.deep.equal([]);
      for (const { inputs } of samplesOf(manifest)) expect(orb?.inputs.validate(inputs)).to.deep.equal([]);
    });

  it('are the examples of a schema, when it has some', () => {
    const inputs_schema = { type: 'object', examples: [{ a: 1 }, 'no object', { a: 2 }] };
    expect(samplesOf({ orb_id: 'demo.echo@1.0.0', inputs_schema })).to.deep.equal([
      { name: 'Sample 1', inputs: { a: 1 } },
      { name: 'Sample 2', inputs: { a: 2 } },
    ]);
    expect(samplesOf({ orb_id: 'my.own@1.0.0', inputs_schema: {} })).to.deep.equal([]);
  });

  it('come back from the end of an address as they were', () => {
    const inputs = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(inputs, (value) => {
        const end = endOf(value);
        if (end !== undefined)
          expect(inputsIn(new URL(end, 'http://a/b').hash)).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(endOf({ text: 'x'.repeat(9000) })).to.equal(undefined);
  });

  for (const end of ['', '#', '#inputs=', '#inputs=%', '#inputs=1', '#inputs=null', '#inputs=[]', '#link=x'])
    it(`are none in an address that ends otherwise: ${end}`, () => {
      expect(inputsIn(end)).to.equal(undefined);
    });

  const schema: FormSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', examples: ['Ada'] },
      count: { type: 'integer' },
      ready: { type: 'boolean' },
      kind: { enum: ['a', 'b', 3] },
      tags: { type: 'array', items: { type: 'string' } },
      more: { type: 'object' },
      inner: { type: 'object', properties: { note: { type: 'string' } } },
    },
  };
  for (const [name, value, fits] of [
    [
      'all kinds',
      { name: 'x', count: 3, ready: true, kind: 3, tags: ['a', 'b'], more: { a: 1 }, inner: { note: 'n' } },
      true,
    ],
    ['a part of them', { count: 0 }, true],
    ['none', {}, true],
    ['a member of another name', { other: 1 }, false],
    ['another type', { count: 'three' }, false],
    ['a text that is empty', { name: '' }, false],
    ['a line end in a list of lines', { tags: ['a\nb'] }, false],
    ['a choice that is not offered', { kind: 'c' }, false],
    ['a text for an object', { inner: 'n' }, false],
    ['null for an object', { inner: null }, false],
  ] as const)
    it(`fill fields only if these hold all of it: ${name}`, () => {
      const typed = fieldsOf(schema, value);
      expect(typed !== undefined).to.equal(fits);
      if (typed !== undefined) expect(valueOf(schema, typed).value).to.deep.equal(value);
    });

  for (const [name, property, lines] of [
    ['short', { maxLength: 512 }, false],
    ['without a limit', {}, false],
    ['long', { maxLength: 513 }, true],
    ['long, of a format', { maxLength: 9000, format: 'uri' }, false],
    ['long, in one line', { maxLength: 16_000, pattern: '^[^\\r\\n]*$' }, false],
    ['an address', { maxLength: 8192, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://\\S+$' }, false],
    [
      'long, without controls but the ends of lines',
      { maxLength: 1600, pattern: '^[^\\u0000-\\u0009\\u000b]*$' },
      true,
    ],
    ['of a pattern of another dialect', { maxLength: 9000, pattern: '(?P<a>x)' }, true],
  ] as const)
    it(`are typed in ${lines ? 'several lines' : 'one line'}: ${name}`, () => {
      expect(takesLines({ type: 'string', ...property })).to.equal(lines);
    });
});
