import { expect } from 'chai';
import { compile, compileParameters } from '../../kernel/schema.ts';

const schema = (maxLength: number) => ({
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string', maxLength }, count: { type: 'integer', default: 1 } },
});

describe('a compiled schema', () => {
  it('is one for all that say the same, whatever their $id: what is compiled is never forgotten', () => {
    expect(compile(schema(5))).to.equal(compile({ ...schema(5), $id: 'https://orb.example/other' }));
    expect(compile(schema(6))).not.to.equal(compile(schema(5)));
    expect(compileParameters(schema(5))).not.to.equal(compile(schema(5)));
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
    expect(detailOf(member)).to.include('must match pattern');
  });

  it('fills defaults into each value', () => {
    const value = { text: 'a' };
    compile(schema(5))(value);
    expect(value).to.deep.equal({ text: 'a', count: 1 });
  });

  it('is refused each time when the schema is wrong', () => {
    for (let time = 0; time < 2; time++)
      expect(() => compile({ type: 'object', required: 'text' })).to.throw(/schema is invalid/);
  });
});
