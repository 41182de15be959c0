import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { startBed, type Bed, type Made } from './bed.ts';

const dayMs = 86_400_000;

describe('callbacks that a clock a day ahead put off', function () {
  this.timeout(60_000);
  let bed: Bed;
  let made: Made;
  beforeEach(async () => {
    bed = await startBed();
    const receiver = await bed.receiver();
    receiver.fault = { status: 500 };
    made = await bed.subscribe(receiver.url);
    bed.advance(dayMs);
    expect((await bed.run('ahead')).status).to.equal(200);
    await until(
      () => bed.callbacks(made),
      ([first]) => first?.tries === 1,
      'the first try',
    );
    receiver.fault = undefined;
    bed.advance(-dayMs);
  });
  afterEach(() => bed.stop());

  const delivered = () =>
    until(
      () => bed.callbacks(made),
      ([first]) => first?.state === 'delivered',
      'the callback',
    );

  it('are due as soon as the clock is set back', async () => {
    await delivered();
    expect(bed.log.join('')).to.contain('the clock was set back; callbacks that were delayed by it are due now');
  });

  it('are due after a restart with the right clock', async () => {
    await bed.restart();
    await delivered();
  });
});
