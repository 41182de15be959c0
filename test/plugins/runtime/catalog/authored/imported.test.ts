import { expect } from 'chai';
import { importedCompiler } from '../../../../../plugins/runtime/catalog/authored/imported.ts';
import type { JsonSchema } from '../../../../../kernel/tools/schema.ts';

const draft07 = 'http://json-schema.org/draft-07/schema#';
const latest = 'https://json-schema.org/draft/2020-12/schema';

/** Compiles a schema; answers whether a value fits, or the faults of the schema. */
function fits(schema: JsonSchema, value: unknown): boolean | string {
  const faults: string[] = [];
  try {
    const validate = importedCompiler()(schema, (pointer, detail) => void faults.push(`${pointer}: ${detail}`));
    return validate === undefined ? faults.join('; ') : validate(value).length === 0;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('schemas that a manifest took over from a provider', () => {
  const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false };
  const rows: readonly (readonly [name: string, schema: JsonSchema, value: unknown, is: boolean | RegExp])[] = [
    ['a list of items is a tuple in draft-07', { $schema: draft07, ...pair }, ['a', 1], true],
    ['more than the tuple is refused', { $schema: draft07, ...pair }, ['a', 1, 2], false],
    ['no dialect is 2020-12', { type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    ['2020-12 has no list of items', { $schema: latest, ...pair }, [], /items/],
    ['draft-07 has no prefixItems', { $schema: draft07, prefixItems: [{ type: 'string' }] }, [1], true],
    ['a keyword of draft-04 breaks its dialect', { exclusiveMinimum: true }, 1, /exclusiveMinimum/],
    ['another dialect is refused', { $schema: 'http://json-schema.org/draft-04/schema#' }, 1, /dialect/],
    ['an unknown keyword says nothing', { type: 'string', markdown: { $ref: '#/nowhere' } }, 'a', true],
    ['an unknown format says nothing', { type: 'string', format: 'moon-phase' }, 'a', true],
    ['a known format says nothing', { type: 'string', format: 'date-time' }, 'a', true],
    ['a word that ajv knows says nothing', { type: 'string', nullable: true }, null, false],
    ['a marker of ours says nothing', { type: 'string', secret: 'x', id: 'y' }, 'a', true],
    ['what would return promises is refused', { $async: true }, 1, /\$async/],
    ['our own keyword is refused', { $work: { value: 0 } }, 1, /\$work/],
    ['a pattern needs linear time', { pattern: '(a)\\1' }, 'aa', /.+/],
    ['a reference stays inside', { $ref: 'https://example.org/s.json' }, 1, /names no schema/],
  ];
  for (const [name, schema, value, is] of rows)
    it(name, () => {
      const found = fits(schema, value);
      if (typeof is === 'boolean') expect(found).to.equal(is);
      else expect(found).to.match(is);
    });

  it('fills in no default, and leaves the schema as it was', () => {
    const schema = { type: 'object', title: 't', properties: { a: { default: 1, format: 'x' } } };
    const before = structuredClone(schema);
    const value = {};
    expect(fits(schema, value)).to.equal(true);
    expect([value, schema]).to.deep.equal([{}, before]);
  });

  it('have the limits of authored ones', () => {
    const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, { type: 'string' }]));
    expect(fits({ type: 'object', properties }, {})).to.match(/1000 keywords/);
  });
});
