import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { incidentDecay, runDecay } from '../../../plugins/ledger/score/decay.ts';
import { callerDayWeight } from '../../../plugins/ledger/score/totals.ts';
import { wilson } from '../../../plugins/ledger/score/wilson.ts';

describe('the curves of orb-score/1', () => {
  it('the Wilson bound of clean runs', () => {
    const table = [
      [10, 0.787],
      [30, 0.917],
      [50, 0.949],
      [100, 0.974],
      [300, 0.991],
      [1000, 0.997],
      [3000, 0.999],
    ] as const;
    for (const [n, bound] of table) expect(wilson(n, n)).to.be.closeTo(bound, 0.0005);
  });

  it('the decay tables are those of the reference, by their digests', () => {
    const hash = (table: readonly number[]): string => createHash('sha256').update(JSON.stringify(table)).digest('hex');
    expect(hash(runDecay)).to.equal('ef2481cc9f03fef3ee1b8e67deb69dad9a8d57aeb53ed9a348926edff8bdc638');
    expect(hash(incidentDecay)).to.equal('a4a1e5ff9adfbf070cd4c7c3cabf979624b4f7445f868f150e1c41c2db506bf7');
  });

  it('the weight of the runs of one caller on one day grows ever slower', () => {
    const table = [
      [1, 1000],
      [20, 20_000],
      [21, 20_952],
      [100, 51_757],
      [1000, 97_277],
      [10_000, 139_227],
      [20_000, 149_227],
      [1e6, 149_227],
    ];
    for (const [n = 0, weight] of table) expect(callerDayWeight(n)).to.equal(weight);
  });
});
