import { expect } from 'chai';
import { halfEven, priceOf, roundedUp, unitsOf } from '../../../../plugins/budgets/prices/decimal.ts';

describe('exact decimals of prices', () => {
  const shifted = [
    ['1.5e-07', 6, '0.15'],
    ['2e-06', 6, '2'],
    ['1e-05', 6, '10'],
    ['0.0000025', 6, '2.5'],
    ['5.46875e-07', 6, '0.546875'],
    ['0.0', 6, '0'],
    ['0', 0, '0'],
    ['3', 0, '3'],
    ['2.50', 0, '2.5'],
    ['1E+2', 0, '100'],
    ['0.1', 0, '0.1'],
    // As floating-point numbers these would become 0.30000000000000004 and 0.06999999999999999.
    ['3e-07', 6, '0.3'],
    ['7e-08', 6, '0.07'],
    ['-1', 0, undefined],
    ['1e-20', 6, undefined],
    ['1e10', 0, undefined],
    ['about 3', 0, undefined],
  ] as const;
  for (const [number, power, price] of shifted)
    it(`write ${number} × 10^${power} as ${price ?? 'no price'}`, () => {
      expect(priceOf(number, power)).to.equal(price);
    });

  it('are read as whole numbers of 10⁻¹²', () => {
    expect(['0', '1', '0.02', '12.000000000001'].map(unitsOf)).to.deep.equal([
      ...[0n, 1_000_000_000_000n, 20_000_000_000n, 12_000_000_000_001n],
    ]);
  });

  it('round a half to the even neighbour, once', () => {
    const halves = [0n, 1n, 2n, 3n, 5n, 6n, 7n, 15n, 25n].map((n) => halfEven(n, 2n));
    expect(halves).to.deep.equal([0n, 0n, 1n, 2n, 2n, 3n, 4n, 8n, 12n]);
    expect([halfEven(24n, 10n), halfEven(26n, 10n), roundedUp(21n, 10n), roundedUp(20n, 10n)]).to.deep.equal([
      ...[2n, 3n, 3n, 2n],
    ]);
  });
});
