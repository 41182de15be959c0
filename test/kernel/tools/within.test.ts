import { mock } from 'node:test';
import { expect } from 'chai';
import { within } from '../../../kernel/tools/every.ts';
import { rejection } from '../../helpers/stores/open.ts';

describe('waiting for work within a time', () => {
  afterEach(() => mock.timers.reset());

  it('answers what the work answers, or throws what it throws', async () => {
    expect([await within(1000, 7), await within(1000, Promise.resolve(8))]).to.deep.equal([7, 8]);
    expect(await rejection(within(1000, Promise.reject(new Error('broken'))))).to.include({ message: 'broken' });
  });

  it('throws when the time is up', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const late = rejection(within(1500, new Promise(() => undefined)));
    mock.timers.tick(1500);
    expect(await late).to.include({ message: 'took longer than 1.5 s' });
  });

  it('keeps no timer, which would keep the process alive', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    // Mocha starts the timer of a test once the test waits.
    await new Promise((resolve) => setImmediate(resolve));
    const before = timers();
    await within(600_000, 'done');
    await rejection(within(600_000, Promise.reject(new Error('broken'))));
    expect(timers()).to.be.at.most(before);
  });
});
