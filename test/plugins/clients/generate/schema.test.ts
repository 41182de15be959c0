import { expect } from 'chai';
import { differences, typedOrbs } from '../../../../plugins/clients/generate/orbs.ts';
import { pythonFile } from '../../../../plugins/clients/generate/python.ts';
import { typescriptFile } from '../../../../plugins/clients/generate/typescript.ts';

const orb = (orb_id: string, inputs_schema: unknown, outputs_schema: unknown = true) => ({
  ...{ orb_id, inputs_schema, outputs_schema },
});
const closed = (properties: object, required: readonly string[] = []) => ({
  ...{ type: 'object', additionalProperties: false, properties, required },
});

describe('the types of Orbs', () => {
  for (const [name, schema, typescript, python] of [
    ['any value', true, 'unknown', 'Any'],
    ['no value', false, 'never', 'Any'],
    ['a text with limits', { type: 'string', maxLength: 3, pattern: '^a' }, 'string', 'str'],
    ['a whole number', { type: 'integer' }, 'number', 'int'],
    ['types', { type: ['string', 'null'] }, '(string) | (null)', 'Union[str, None]'],
    ['constants', { enum: ['a', 1, null, true] }, '"a" | 1 | null | true', 'Literal["a", 1, None, True]'],
    ['a fraction', { const: 0.5 }, '0.5', 'Any'],
    ['a number that Python writes in another way', { const: 1e21 }, '1e+21', 'Any'],
    ['a text with a strange end of line', { const: 'a\u2028b' }, '"a\u2028b"', 'Literal["a\u2028b"]'],
    ['no constant', { enum: [] }, 'never', 'Any'],
    [
      'one of several that say nothing',
      { type: 'string', anyOf: [{}, {}] },
      '((unknown) | (unknown)) & (string)',
      'str',
    ],
    ['a list', { type: 'array', items: { type: 'boolean' } }, 'readonly (boolean)[]', 'Sequence[bool]'],
    ['one of several', { oneOf: [{ type: 'string' }, { type: 'number' }] }, '(string) | (number)', 'Union[str, float]'],
    ['all of several', { allOf: [{ type: 'string' }, { enum: ['a'] }] }, '(string) & ("a")', 'str'],
    ['an open object', { type: 'object' }, '{\n      readonly [member: string]: unknown;\n    }', 'Mapping[str, Any]'],
    ['a part of the schema', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, 'string', 'str'],
    [
      'a schema that contains itself',
      { type: 'array', items: { $ref: '#' } },
      'readonly (readonly (unknown /* a schema that contains itself */)[])[]',
      'Sequence[Sequence[Any]]',
    ],
    ['a keyword that no type says', { type: 'string', not: { const: 'a' } }, 'unknown /* not */', 'Any'],
    ['a hostile keyword', { $ref: '*/ evil /*' }, 'unknown /* $ref * / evil /* */', 'Any'],
  ] as const)
    it(`write ${name}`, () => {
      const orbs = typedOrbs([orb('a.b@1.0.0', schema)]);
      expect(typescriptFile(orbs, 'x', false)).to.contain(`inputs: ${typescript}; outputs: unknown }`);
      expect(pythonFile(orbs, 'x')).to.contain(`inputs: ${python}, **options`);
    });

  it('read the members of an object, and which may be absent', () => {
    const schema = closed({ to: { type: 'string' }, 'reply-to': { type: 'string' } }, ['to']);
    const orbs = typedOrbs([orb('notify.email@1.0.0', schema)]);
    expect(typescriptFile(orbs, 'x')).to.contain(
      '    "notify.email@1.0.0": { inputs: {\n      readonly "to": string;\n      readonly "reply-to"?: string;\n    }; outputs',
    );
    expect(pythonFile(orbs, 'x')).to.contain(
      'NotifyEmailInputs = TypedDict("NotifyEmailInputs", {"to": "str", "reply-to": "NotRequired[str]"})',
    );
  });

  it('name each class of Python once', () => {
    const member = closed({ a: { type: 'string' } });
    const schema = closed({ 'b-c': member, b_c: member });
    const python = pythonFile(typedOrbs([orb('x.y@1.0.0', schema), orb('x.y@2.0.0', schema)]), 'x');
    const names = [...python.matchAll(/^(\w+) = TypedDict\("(\w+)"/gm)].map(([, name, named]) => [name, named]);
    const expected = ['XYInputsBC', 'XYInputsBC_2', 'XYInputs', 'XYInputsBC_3', 'XYInputsBC_4', 'XYInputs_2'];
    expect(names).to.deep.equal(expected.map((name) => [name, name]));
  });

  it('are the same bytes for the same Orbs in any order, and name what changed', () => {
    const [one, two] = [orb('a.b@1.0.0', true), orb('b.c@1.0.0', false)];
    for (const write of [
      (all: ReturnType<typeof typedOrbs>) => typescriptFile(all, 'x', false),
      (all: ReturnType<typeof typedOrbs>) => pythonFile(all, 'x'),
    ]) {
      const file = write(typedOrbs([one, two]));
      expect(write(typedOrbs([two, one]))).to.equal(file);
      expect(differences(file, typedOrbs([two, one]))).to.deep.equal([]);
      const now = typedOrbs([orb('a.b@1.0.0', { type: 'string' }), orb('c.d@1.0.0', true)]);
      expect(differences(file, now)).to.deep.equal([
        'a.b@1.0.0: its schemas have changed',
        'b.c@1.0.0: it is not there any more',
        'c.d@1.0.0: it is new',
      ]);
    }
  });
});
