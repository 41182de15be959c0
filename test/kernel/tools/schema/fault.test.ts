import { expect } from 'chai';
import { compile, plainText } from '../../../../kernel/tools/schema.ts';

const members = { type: 'object', additionalProperties: false, properties: { reply_to: {}, subject: {} } };
const rows: readonly (readonly [schema: object, value: unknown, detail: string, pointer?: string])[] = [
  [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
  [{ type: 'string', minLength: 3 }, 'ab', 'must have at least 3 characters; it has 2'],
  [{ type: 'string', maxLength: 1 }, '😀😀', 'must have at most 1 character; it has 2'],
  [{ type: 'array', minItems: 1 }, [], 'must not be empty'],
  [{ type: 'array', minItems: 2 }, [1], 'must have at least 2 items'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'must have at most 1 item'],
  [{ type: 'array', uniqueItems: true }, [1, 1], 'must not contain an item twice'],
  [{ type: 'object', minProperties: 2 }, { a: 1 }, 'must have at least 2 members'],
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 member'],
  [{ type: 'integer', minimum: 1 }, 0, 'must be 1 or more'],
  [{ type: 'integer', maximum: 9 }, 10, 'must be 9 or less'],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, 'must be more than 0'],
  [{ type: 'number', exclusiveMaximum: 1 }, 1, 'must be less than 1'],
  [{ type: 'number', multipleOf: 5 }, 7, 'must be a multiple of 5'],
  [{ type: 'string' }, 1, 'must be a string'],
  [{ type: ['array', 'null'] }, 1, 'must be an array or null'],
  [{ type: ['integer', 'boolean'] }, 'x', 'must be an integer or true or false'],
  [{ type: 'string', format: 'date-time' }, 'now', 'must be a time like 2026-01-31T12:00:00Z'],
  [{ type: 'string', format: 'date' }, 'now', 'must be a day like 2026-01-31'],
  [
    { type: 'string', pattern: plainText },
    'a\nb',
    'must be one line without control characters or text direction marks',
  ],
  [{ type: 'string', pattern: '^a+$', examples: ['aa'] }, 'b', 'must be written like aa'],
  [{ type: 'string', pattern: '^a+$' }, 'b', 'does not match the pattern of its schema: ^a+$'],
  [{ enum: ['live', 'test'] }, 'production', 'must be one of live, test'],
  [{ enum: [1, null, { a: 1 }] }, 2, 'must be one of 1, null, {"a":1}'],
  [{ const: 1 }, 2, 'must be 1'],
  [{ type: 'object', properties: { a: {} }, required: ['a'] }, {}, 'is required', '#/a'],
  [{ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }, 'is required together with `a`', '#/b'],
  [members, { 'reply-to': 1 }, 'is not a known field; did you mean `reply_to`?', '#/reply-to'],
  [members, { Subjekt: 1 }, 'is not a known field; did you mean `subject`?', '#/Subjekt'],
  [members, { colour: 1 }, 'is not a known field; remove it', '#/colour'],
  [
    { type: 'object', propertyNames: { pattern: '^[a-z]+$', examples: ['name'] } },
    { A1: 1 },
    'must be written like name',
    '#/A1',
  ],
  [{ not: {} }, 1, 'is not allowed here'],
  [{ not: { const: 1, description: 'is one; write two' } }, 1, 'is one; write two'],
  [{ oneOf: [{ const: 1 }, { const: 2 }, {}] }, 1, 'has more than one of the 3 forms that are allowed here'],
];

describe('the fault of a value that does not fit its schema', () => {
  for (const [schema, value, detail, pointer = '#'] of rows)
    it(`${JSON.stringify(schema)}, ${JSON.stringify(value)}: ${pointer} ${detail}`, () => {
      expect(compile({ ...schema })(value)).to.deep.include({ pointer, detail });
    });

  it('names the first hundred of many values', () => {
    const values = Array.from({ length: 5000 }, (_, at) => `v${at}`);
    const [fault] = compile({ enum: values })('x');
    expect(fault?.detail).to.equal(`must be one of ${values.slice(0, 100).join(', ')}, … (5000 in all)`);
  });

  it('is not told again and again when its place is long: an answer is not a multiple of the body', () => {
    const name = 'x'.repeat(100_000);
    const validate = compile({ type: 'object', additionalProperties: { type: 'object', additionalProperties: false } });
    const inner = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`m${at}`, 1]));
    const faults = validate({ [name]: inner });
    expect(faults).to.have.length(1);
    expect(faults[0]?.pointer).to.equal(`#/${name}/m0`);
    expect(validate({ short: inner })).to.have.length(32);
  });
});
