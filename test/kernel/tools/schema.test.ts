import { expect } from 'chai';
import {
  compile,
  compileAlone,
  compileLater,
  compileParameters,
  compileWaiting,
  exactly,
  optional,
  plainText,
  type Infer,
} from '../../../kernel/tools/schema.ts';

const schema = (maxLength: number) => ({
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string', maxLength }, count: { type: 'integer', default: 1 } },
});

const namesOf = (count: number, value: object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, value]));

describe('a compiled schema', () => {
  it('is one for all that say the same, whatever their $id: what is compiled is never forgotten', () => {
    expect(compile(schema(5))).to.equal(compile({ ...schema(5), $id: 'https://orb.example/other' }));
    expect(compile(schema(6))).not.to.equal(compile(schema(5)));
    expect(compileParameters(schema(5))).not.to.equal(compile(schema(5)));
  });

  it('is compiled at its first use, or before it in a turn of its own, and once', async () => {
    const compiled: string[] = [];
    const later = (name: string) => compileLater(schema(7), (given) => (compiled.push(name), compile(given)));
    const [used, waiting] = [later('used'), later('waiting')];
    used({ text: 'hello' });
    expect(compiled).to.deep.equal(['used']);
    // Not those of the platforms that other tests have started in this process.
    await compileWaiting(0, 1);
    expect(waiting({ text: 'longer than seven' })).to.have.length(1);
    expect(compiled).to.deep.equal(['used', 'waiting']);
  });

  const faultsOf = (more: object, value: string): number => compile({ type: 'string', ...more })(value).length;

  it('takes days and times of the calendar alone', () => {
    for (const day of ['2028-02-29', '2027-02-28', '2026-12-31']) {
      expect(faultsOf({ format: 'date' }, day), day).to.equal(0);
      expect(faultsOf({ format: 'date-time' }, `${day}T23:59:59.123Z`), day).to.equal(0);
    }
    for (const day of [
      '2027-02-29',
      '2027-02-30',
      '2027-04-31',
      '2027-00-01',
      '2027-13-01',
      '2027-01-00',
      '27-01-01',
    ]) {
      expect(faultsOf({ format: 'date' }, day), day).to.equal(1);
      expect(faultsOf({ format: 'date-time' }, `${day}T10:00:00Z`), day).to.equal(1);
    }
    for (const time of ['24:00:00', '10:60:00', '10:00:60'])
      expect(faultsOf({ format: 'date-time' }, `2027-01-01T${time}Z`), time).to.equal(1);
  });

  it('takes no name with characters that hide or turn around what stands beside them', () => {
    for (const name of ['Ada Lovelace', 'Größe 東京', 'مرحبا', '😀', "O'Neill <x>"])
      expect(faultsOf({ pattern: plainText }, name), name).to.equal(0);
    for (const code of [
      0, 0x0a, 0x1b, 0x7f, 0x85, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069,
    ])
      expect(faultsOf({ pattern: plainText }, `a${String.fromCharCode(code)}b`), code.toString(16)).to.equal(1);
  });

  it('tells each caller its own faults', () => {
    const [first, second] = [compile(schema(5)), compile(schema(5))];
    const faults = first({ text: 'too long', more: 1 });
    expect(second({ text: 'short' })).to.deep.equal([]);
    expect(faults.map(({ pointer }) => pointer)).to.deep.equal(['#/more', '#/text']);
  });

  it('shows the example of a pattern instead of the pattern, if it has one', () => {
    const member = { type: 'string', pattern: '^[a-z]+@[0-9]+$' };
    const detailOf = (schema: object): string | undefined => compile({ ...schema })('nothing')[0]?.detail;
    expect(detailOf({ ...member, examples: ['name@1'] })).to.equal('must be written like name@1');
    expect(detailOf(member)).to.equal(`does not match the pattern of its schema: ${member.pattern}`);
  });

  it('fills defaults into each value', () => {
    const value = { text: 'a' };
    compile(schema(5))(value);
    expect(value).to.deep.equal({ text: 'a', count: 1 });
  });

  it('takes equal items for equal whatever the order of members, and compares no item with each', () => {
    const unique = compile({ type: 'array', uniqueItems: true });
    for (const items of [[], [1, '1', true, null], [0, [0], [[0]]], [{ a: 1 }, { a: 2 }], ['[1]', [1]]])
      expect(unique(items), JSON.stringify(items)).to.deep.equal([]);
    for (const items of [
      ['a', 'b', 'a'],
      [1, 1.0],
      [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }]],
    ])
      expect(unique(items), JSON.stringify(items)).to.deep.equal([
        { pointer: '#', detail: 'must not contain an item twice' },
      ]);
    expect(unique(Array.from({ length: 150_000 }, (_, at) => at))).to.deep.equal([]);
  });

  it('of an author compiles a definition once, however often it is referred to', () => {
    const asked: string[] = [];
    const schema = { $defs: { a: { pattern: '^a' } }, properties: namesOf(100, { $ref: '#/$defs/a' }) };
    const pattern = (source: string): RegExp => {
      asked.push(source);
      return new RegExp(source, 'u');
    };
    const faults = compileAlone(
      { type: 'object', ...schema },
      { pattern, spend: () => undefined },
    )({ p7: 'b', p8: 'a' });
    expect(faults).to.deep.equal([{ pointer: '#/p7', detail: 'does not match the pattern of its schema: ^a' }]);
    // Once for the verdict, and once for the list of faults.
    expect(asked).to.deep.equal(['^a', '^a']);
  });

  it('tells all faults of a small value, and the first of a large one', () => {
    const schema = { type: 'object', additionalProperties: false, properties: { a: { type: 'integer' } } };
    const lone = { pattern: (source: string) => new RegExp(source, 'u'), spend: () => undefined };
    for (const validate of [compile(schema), compileAlone(schema, lone)]) {
      expect(validate(namesOf(20, {}))).to.have.length(20);
      expect(validate(namesOf(3000, {}))).to.have.length(1);
      expect(validate({ a: 1 })).to.have.length(0);
    }
  });

  it('is refused each time when the schema is wrong', () => {
    for (let time = 0; time < 2; time++)
      expect(() => compile({ type: 'object', required: 'text' })).to.throw(/schema is invalid/);
  });
});

describe('the schema of an object with exactly these members', () => {
  const count = { type: 'integer' } as const;
  const made = exactly('Pair', {
    text: { type: 'string' },
    count: optional(count),
    within: optional(exactly({ count })),
  });

  it('requires all but the optional ones, and refuses others', () => {
    const faultsOf = compile({ ...made });
    const whole: Infer<typeof made> = { text: 'a', within: { count: 1 } };
    expect(faultsOf(whole)).to.deep.equal([]);
    expect(faultsOf({ count: 1, within: {}, more: 1 })).to.have.deep.members([
      { pointer: '#/text', detail: 'is required' },
      { pointer: '#/within/count', detail: 'is required' },
      { pointer: '#/more', detail: 'is not a known field; remove it' },
    ]);
  });

  it('bears its name, and names no member that it does not require', () => {
    expect(made)
      .to.include({ title: 'Pair' })
      .and.to.deep.include({ required: ['text'] });
    expect(exactly({ count: optional(count) })).to.have.all.keys('type', 'additionalProperties', 'properties');
  });
});
