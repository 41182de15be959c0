import { expect } from 'chai';
import { compile, compileAlone, compileBody, compileParameters } from '../../../kernel/tools/schema.ts';
import { parseTime } from '../../../kernel/tools/time.ts';

const utc = (text: string): string | undefined => {
  const ms = parseTime(text);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe('a time of RFC 3339', () => {
  const times: [given: string, utc: string | undefined][] = [
    ['2026-11-27T10:00:00Z', '2026-11-27T10:00:00.000Z'],
    ['2026-11-27t10:00:00z', '2026-11-27T10:00:00.000Z'],
    ['2026-11-27T10:00:00+00:00', '2026-11-27T10:00:00.000Z'],
    ['2026-11-27T10:00:00-00:00', '2026-11-27T10:00:00.000Z'],
    ['2026-11-27T00:30:00+02:00', '2026-11-26T22:30:00.000Z'],
    ['2026-12-31T23:30:00.5-03:30', '2027-01-01T03:00:00.500Z'],
    ['2026-11-27T10:00:00.123456789+05:45', '2026-11-27T04:15:00.123Z'],
    ['2026-11-27T10:00:00+23:59', '2026-11-26T10:01:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00+23:59', '0000-12-31T00:01:00.000Z'],
    ['0000-01-01T00:00:00+00:01', undefined],
    ['9999-12-31T23:59:59.999-00:01', undefined],
    ['2026-11-27T10:00:00', undefined],
    ['2026-11-27 10:00:00Z', undefined],
    ['2026-11-27T10:00:00+24:00', undefined],
    ['2026-11-27T10:00:00+02:60', undefined],
    ['2026-11-27T10:00:00+0200', undefined],
    ['2026-11-27T10:00:00+02', undefined],
    ['2026-11-27T10:00:00.+02:00', undefined],
    ['2026-11-27T10:00Z', undefined],
    ['2026-02-29T10:00:00+02:00', undefined],
    ['2026-11-27T24:00:00Z', undefined],
    ['2026-11-27T23:59:60Z', undefined],
    ['2026-11-27', undefined],
  ];
  for (const [given, expected] of times)
    it(`${given} is ${expected ?? 'none'}`, () => {
      expect(utc(given)).to.equal(expected);
    });

  const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;

  it('becomes UTC with three decimals at every place of a body', () => {
    const schema = {
      type: 'object',
      properties: {
        at: { anyOf: [time, { type: 'null' }] },
        list: { type: 'array', items: time },
        named: { type: 'object', additionalProperties: time },
        format: { const: 'date-time' },
      },
    };
    const given = '2026-11-27T10:00:00+02:00';
    const body = { at: given, list: [given, given], named: { one: given }, format: 'date-time' };
    expect(compileBody(schema)(body)).to.deep.equal([]);
    const is = '2026-11-27T08:00:00.000Z';
    expect(body).to.deep.equal({ at: is, list: [is, is], named: { one: is }, format: 'date-time' });
  });

  it('becomes UTC in a parameter, and what is none is told', () => {
    const validate = compileParameters({ type: 'object', properties: { from: time } });
    const query = { from: '2026-11-27T10:00:00-01:00' };
    expect(validate(query)).to.deep.equal([]);
    expect(query.from).to.equal('2026-11-27T11:00:00.000Z');
    expect(validate({ from: 'noon' })).to.deep.equal([
      {
        pointer: '#/from',
        detail: 'must be an RFC 3339 time, such as 2026-01-31T12:00:00Z or 2026-01-31T14:00:00+02:00',
      },
    ]);
  });

  it('may have an offset in the inputs of an Orb, and stays as it is', () => {
    const validate = compileAlone(
      { type: 'object', properties: { at: time } },
      { pattern: (source) => new RegExp(source, 'u'), spend: () => undefined },
    );
    const inputs = { at: '2026-11-27T10:00:00+02:00' };
    expect(validate(inputs)).to.deep.equal([]);
    expect(inputs.at).to.equal('2026-11-27T10:00:00+02:00');
  });

  it('has no offset where the platform writes it', () => {
    expect(compile(time)('2026-11-27T10:00:00Z')).to.deep.equal([]);
    expect(compile(time)('2026-11-27T10:00:00+00:00')).to.have.length(1);
  });
});
