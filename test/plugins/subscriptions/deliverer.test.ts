import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { deliveries, type Delivering } from './delivering.ts';

describe('the deliverer of callbacks', () => {
  let bed: Delivering;
  beforeEach(async () => {
    bed = deliveries();
    await bed.start();
  });
  afterEach(() => bed.stop());

  for (const status of [204, 500])
    it(`sends a callback once while the store refuses the result (${status}), and notes it later`, async () => {
      bed.status = status;
      bed.isFull = true;
      bed.make('cb_1');
      for (let look = 0; look < 5; look += 1) await bed.tryAll();
      expect(bed.sent).to.deep.equal(['cb_1']);
      bed.isFull = false;
      await until(
        () => bed.rows.get('cb_1')?.tries,
        (tries) => tries === 1,
        'the result',
      );
      expect(bed.rows.get('cb_1')?.state).to.equal(status === 204 ? 'delivered' : 'waiting');
      await bed.tryAll();
      expect(bed.sent).to.deep.equal(['cb_1']);
    });

  it('sends no more callbacks than it may at once while the store refuses every result', async () => {
    bed.isFull = true;
    for (const id of ['cb_1', 'cb_2', 'cb_3', 'cb_4']) bed.make(id);
    for (let look = 0; look < 5; look += 1) await bed.tryAll();
    expect(bed.sent).to.deep.equal(['cb_1', 'cb_2']);
  });

  it('stops at once though the store refuses a result', async () => {
    bed.isFull = true;
    bed.make('cb_1');
    await bed.tryAll();
    const begun = performance.now();
    await bed.stop();
    expect(performance.now() - begun).to.be.lessThan(500);
    expect(bed.rows.get('cb_1')).to.include({ state: 'waiting', tries: 0 });
  });
});
