import { mock } from 'node:test';
import { expect } from 'chai';
import { after, every, unlessAborted, within } from '../../../kernel/tools/every.ts';
import { rejection } from '../../helpers/stores/open.ts';

describe('a timer', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  const works = [
    ['throws', () => raise()],
    ['rejects', async () => raise()],
  ] as const;
  function raise(): never {
    throw new Error('EMFILE');
  }

  for (const [what, work] of works)
    it(`whose work ${what} tells it, and goes on`, async () => {
      const told: string[] = [];
      const stop = every(1000, work, (error) => told.push((error as Error).message));
      mock.timers.tick(1000);
      await new Promise(setImmediate);
      mock.timers.tick(1000);
      await new Promise(setImmediate);
      expect(told).to.deep.equal(['EMFILE', 'EMFILE']);
      stop();
      mock.timers.tick(5000);
      await Promise.resolve();
      expect(told).to.have.length(2);
    });

  it('does not begin its work again before it has ended', async () => {
    const going: PromiseWithResolvers<void>[] = [];
    const work = (): Promise<void> => {
      const one = Promise.withResolvers<void>();
      going.push(one);
      return one.promise;
    };
    const stop = every(1000, work, () => undefined);
    mock.timers.tick(5000);
    expect(going).to.have.length(1);
    going[0]?.resolve();
    await new Promise(setImmediate);
    mock.timers.tick(1000);
    expect(going).to.have.length(2);
    stop();
  });

  for (const [what, work] of works)
    it(`of one time whose work ${what} tells it once`, async () => {
      const told: unknown[] = [];
      after(1000, work, (error) => told.push(error));
      mock.timers.tick(5000);
      await Promise.resolve();
      expect(told).to.have.length(1);
    });

  it('that is stopped before its time does nothing', () => {
    let done = 0;
    after(1000, () => (done += 1), raise)();
    mock.timers.tick(5000);
    expect(done).to.equal(0);
  });
});

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

describe('a wait that a signal ends', () => {
  it('has the result of the work that is done before', async () => {
    expect(await unlessAborted(new AbortController().signal, Promise.resolve(1), () => new Error('late'))).to.equal(1);
  });

  it('rejects with what it is given, whatever becomes of the work', async () => {
    const given = new AbortController();
    const waiting = rejection(unlessAborted(given.signal, new Promise(() => undefined), () => new Error('late')));
    given.abort();
    expect(String(await waiting)).to.equal('Error: late');
  });
});
