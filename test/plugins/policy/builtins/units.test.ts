import { expect } from 'chai';
import { unitBuiltins } from '../../../../plugins/policy/builtins/units.ts';

/** Reads an amount; an integer comes as JSON text, so that no digit is lost. */
function read(name: 'units.parse' | 'units.parse_bytes', text: unknown): unknown {
  const answer = unitBuiltins[name]?.(text);
  return answer instanceof ArrayBuffer ? Buffer.from(answer).toString() : answer;
}

describe('amounts with a unit in policies', () => {
  for (const [text, amount, bytes] of [
    ['0', '0', '0'],
    ['10', '10', '10'],
    ['"10"', '10', '10'],
    ['-3', '-3', '-3'],
    ['+3k', '3000', '3000'],
    ['1.5', 1.5, '1'],
    ['.5', 0.5, '0'],
    ['2.', '2', '2'],
    ['-1.5', -1.5, '-1'],
    ['1e3', '1000', '1000'],
    ['1K', '1000', '1000'],
    ['1Ki', '1024', '1024'],
    ['1ki', '1024', '1024'],
    ['200m', 0.2, '200000000'],
    ['1M', '1000000', '1000000'],
    ['1Mi', '1048576', '1048576'],
    ['1mi', '1048576', '1048576'],
    ['1.5G', '1500000000', '1500000000'],
    ['1Ti', '1099511627776', '1099511627776'],
    ['1P', '1000000000000000', '1000000000000000'],
    ['1Ei', '1152921504606846976', '1152921504606846976'],
  ] as const)
    it(`${text} is ${amount}, and ${bytes} bytes`, () => {
      expect([read('units.parse', text), read('units.parse_bytes', text)]).to.deep.equal([amount, bytes]);
    });

  it('may end with B for bytes, and for bytes alone', () => {
    expect(['1KB', '1kib', '7b'].map((text) => read('units.parse_bytes', text))).to.deep.equal(['1000', '1024', '7']);
    expect(() => read('units.parse', '1KB')).to.throw('units.parse: the unit is not known');
  });

  for (const name of ['units.parse', 'units.parse_bytes'] as const) {
    for (const text of ['1x', '1kk', '1kii', '1kx', '1i', '1kibb'])
      it(`${name} refuses the unit of ${text}`, () => {
        expect(() => read(name, text)).to.throw(`${name}: the unit is not known`);
      });
    for (const text of ['', 'k', '.', '1.2.3', '--1', '1k1', '1_000'])
      it(`${name} refuses '${text}', which is no amount`, () => {
        expect(() => read(name, text)).to.throw(`${name}: the text is not an amount`);
      });
    it(`${name} refuses an amount beyond the range of a double, which JSON would make null`, () => {
      for (const text of ['1e999', '-1e999', '1e308E'])
        expect(() => read(name, text)).to.throw(`${name}: the amount is out of range`);
    });
    it(`${name} refuses a space and what is no text`, () => {
      expect(() => read(name, '1 k')).to.throw(`${name}: an amount holds no space`);
      expect(() => read(name, 1)).to.throw(`${name}: an argument must be a string`);
    });
  }
});
