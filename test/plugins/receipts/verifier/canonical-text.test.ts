import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { readStatement } from '../../../../plugins/receipts/verifier/statement.ts';

/** Says whether the payload is refused for its spelling. */
function misspelt(text: string): boolean {
  const reading = readStatement(new TextEncoder().encode(text));
  return 'fault' in reading && reading.fault.includes('canonical form');
}

function canonicalOf(text: string): string | undefined {
  try {
    return canonicalize(JSON.parse(text));
  } catch {
    return undefined;
  }
}

describe('the spelling of a payload', () => {
  it('is that of RFC 8785, or it is refused: whatever the order, the numbers and the texts', () => {
    const names = fc.oneof(
      fc.constantFrom('a', 'b', 'aa', '1', '10', '9', 'é', '😀', '\ufb33', '__proto__'),
      fc.string(),
    );
    // Texts, so that members stand in the order they came, also those whose names are numbers.
    const texts = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
        fc.constantFrom('true', 'null', '-0', '1e21', '1E-7', '1.0', '9007199254740993', '"\\u0041"'),
        fc.array(tie('text'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(names, tie('text')), { maxLength: 4 })
          .map((members) => `{${members.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(',')}}`),
      ),
    })).text;
    fc.assert(
      fc.property(texts, fc.boolean(), (spelt, sorted) => {
        const text = sorted ? (canonicalOf(spelt) ?? spelt) : spelt;
        expect(misspelt(text)).to.equal(canonicalOf(text) !== text);
      }),
      { numRuns: 2000 },
    );
  });

  for (const text of [
    '{"a":1 }',
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":"\\u0041"}',
    '{"a":"\\ud800"}',
    '{"a":1.0}',
    '{"10":1,"9":1,"1":1}',
  ])
    it(`${text} is refused`, () => {
      expect(misspelt(text)).to.equal(true);
    });

  it('names that are numbers stand in the order of their letters, not of their values', () => {
    expect(misspelt('{"1":1,"10":1,"9":1}')).to.equal(false);
    expect(misspelt('{"1":1,"9":1,"10":1}')).to.equal(true);
  });

  it('is refused when it is nested deeper than can be read', () => {
    const text = `${'['.repeat(8000)}${']'.repeat(8000)}`;
    expect(() => misspelt(text)).not.to.throw();
  });
});
