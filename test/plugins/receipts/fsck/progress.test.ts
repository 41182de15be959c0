import { expect } from 'chai';
import { sayProgress } from '../../../../plugins/receipts/fsck/progress.ts';

describe('the progress of a long check', () => {
  it('is said every two seconds until the check is done', () => {
    let now = 1000;
    const said: string[] = [];
    const progress = sayProgress(
      (text) => void said.push(text),
      'ins_X.orb/receipts/0',
      () => now,
    );
    for (const [at, done] of [
      [1000, 10],
      [2999, 20],
      [3000, 30],
      [4999, 40],
      [5000, 50],
      [9000, 99],
    ] as const) {
      now = at;
      progress(done, 99);
    }
    expect(said).to.deep.equal(['ins_X.orb/receipts/0: 30 of 99', 'ins_X.orb/receipts/0: 50 of 99']);
  });
});
