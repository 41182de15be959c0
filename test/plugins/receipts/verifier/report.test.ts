import { expect } from 'chai';
import { conclude, type CheckName } from '../../../../plugins/receipts/verifier/report.ts';

describe('the exit code of a report', () => {
  const failing: Readonly<Record<number, CheckName>> = {
    2: 'statement_schema',
    4: 'key_trusted',
    1: 'envelope',
    5: 'consistency_with_last_seen',
  };
  const exitOf = (...codes: readonly number[]): number =>
    conclude(
      codes.flatMap((code) => (failing[code] === undefined ? [] : [{ name: failing[code], result: 'fail' as const }])),
      undefined,
      { required: codes.includes(3) ? ['inclusion'] : [] },
    ).exit;

  it('is the first of 2, 4, 1, 5, 3 of what was found', () => {
    const order = [2, 4, 1, 5, 3];
    for (const [at, first] of order.entries()) {
      expect(exitOf(first)).to.equal(first);
      for (const later of order.slice(at + 1)) expect(exitOf(later, first), `${first} and ${later}`).to.equal(first);
    }
    expect(exitOf()).to.equal(0);
  });
});
