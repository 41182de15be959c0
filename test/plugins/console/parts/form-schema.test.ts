import { expect } from 'chai';
import { typedOf, valueOf, type FormSchema } from '../../../../plugins/console/app/parts/form/schema.ts';
import { builtin } from '../../../helpers/shipped.ts';

const smtp: FormSchema = {
  type: 'object',
  required: ['host', 'port'],
  properties: {
    host: { type: 'string', maxLength: 253, examples: ['mail.example.org'] },
    port: { type: 'integer' },
    secure: { type: 'boolean', default: false },
    starttls: { enum: ['required', 'never'], default: 'required' },
    auth: {
      type: 'object',
      required: ['user', 'password'],
      properties: { user: { type: 'string' }, password: { type: 'string', secret: true } },
    },
    tags: { type: 'array', items: { type: 'string' } },
    headers: { type: 'object', additionalProperties: { type: 'string', secret: true } },
    allow: { type: 'array', items: { type: 'object' } },
  },
};

const full = {
  host: 'h',
  port: 25,
  secure: true,
  starttls: 'never',
  auth: { user: 'u', password: 'p' },
  tags: ['a', 'b'],
  headers: { 'x/y': '1', '~z': '2' },
  allow: [{ host: 'h' }],
};

/** Makes a value with each member that a schema knows. */
function sampleOf({ additionalProperties: rest, enum: choices, items, properties, type }: FormSchema): unknown {
  if (choices !== undefined) return choices.at(-1);
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one)]));
  if (typeof rest === 'object') return { 'a/b': sampleOf(rest) };
  if (items !== undefined) return [sampleOf(items)];
  return type === 'boolean' ? false : type === 'integer' || type === 'number' ? 7 : 'a text';
}

describe('the fields of a schema', () => {
  it('give back what was filled in', () => {
    expect(valueOf(smtp, typedOf(smtp, full))).to.deep.equal({ value: full, faults: [] });
  });

  it('have no samples and no defaults when a value is filled in, and send none', () => {
    const least = { host: 'h', port: 25 };
    expect(valueOf(smtp, typedOf(smtp, least))).to.deep.equal({ value: least, faults: [] });
    expect(valueOf(smtp, {}).value).to.include({ host: 'mail.example.org', starttls: 'required', secure: false });
  });

  it('say what is missing, in an optional object only when some of it is there', () => {
    const pointers = (value: object) => valueOf(smtp, typedOf(smtp, value)).faults.map(({ pointer }) => pointer);
    expect(pointers({})).to.deep.equal(['#/host', '#/port']);
    expect(pointers({ host: 'h', port: 1, auth: { user: 'u' } })).to.deep.equal(['#/auth/password']);
  });

  for (const [what, typed, fault] of [
    ['a row without a name', '[["","v"]]', 'Each row needs a name and a value'],
    ['a row without a value', '[["n",""]]', 'Each row needs a name and a value'],
    ['a name given twice', '[["n","a"],["n","b"]]', 'Each name can be given once'],
  ] as const)
    it(`refuse ${what}`, () => {
      const { faults } = valueOf(smtp, { ...typedOf(smtp, full), '/headers': typed });
      expect(faults).to.deep.equal([{ pointer: '#/headers', detail: fault }]);
    });

  it('leave out rows that are empty', () => {
    const { value } = valueOf(smtp, { ...typedOf(smtp, full), '/headers': '[["",""],["__proto__","v"]]' });
    expect(Object.entries(value['headers'] as object)).to.deep.equal([['__proto__', 'v']]);
  });

  for (const { name, config } of builtin.adapters)
    it(`hold every setting of ${name}`, () => {
      const schema = config as FormSchema;
      const value = sampleOf(schema) as object;
      expect(valueOf(schema, typedOf(schema, value))).to.deep.equal({ value, faults: [] });
    });
});
