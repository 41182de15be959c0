import { expect } from 'chai';
import { storm } from './helpers/storm.ts';

const size = Number(process.env['STORM_SIZE'] ?? 0.05);

describe('a swap storm', () => {
  it(`${200 * size} swaps among three providers during ${20_000 * size} runs: nothing fails, nothing is sent twice`, async function () {
    this.timeout(300_000);
    const report = await storm({ swaps: 200 * size, runs: 20_000 * size, callers: 32 });
    const { failed, doubled, missing, late, mismatched, leaked } = report;
    expect({ failed, doubled, missing, late, mismatched, leaked }).to.deep.equal({
      failed: 0,
      doubled: 0,
      missing: 0,
      late: 0,
      mismatched: 0,
      leaked: 0,
    });
    expect(report.swaps).to.equal(200 * size);
    expect(report.refused).to.be.greaterThan(0);
  });
});
