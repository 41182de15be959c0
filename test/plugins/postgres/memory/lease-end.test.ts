import { expect } from 'chai';
import { LeaseEnd } from '../../../../plugins/postgres/memory/lease-end.ts';

describe('the end of a lease', () => {
  it('is known to each thread that has its memory, and moves with each renewal', () => {
    const writer = new LeaseEnd();
    const serving = new LeaseEnd(writer.buffer);
    expect(serving.isOver(), 'no lease was taken yet').to.equal(false);
    writer.extend(60_000);
    expect(serving.isOver()).to.equal(false);
    writer.extend(-1);
    expect(serving.isOver()).to.equal(true);
    writer.extend(60_000);
    expect(serving.isOver()).to.equal(false);
  });

  it('has come when either clock says so', () => {
    for (const clock of [0, 1]) {
      const end = new LeaseEnd();
      end.extend(60_000);
      new BigInt64Array(end.buffer)[clock] = 1n;
      expect(end.isOver(), `clock ${clock}`).to.equal(true);
    }
  });
});
