import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { systemClock, type Clock } from '../../../../kernel/tools/clock.ts';
import { until } from '../../../helpers/until.ts';
import { startQueueing, type Queueing } from './queueing.ts';

/** A clock that can be set forward. */
class Ahead implements Clock {
  #ms = 0;

  go(ms: number): void {
    this.#ms += ms;
  }

  now(): number {
    return systemClock.now() + this.#ms;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#ms;
  }
}

describe('runs whose provider cannot be reached', () => {
  let clock: Ahead;
  let queueing: Queueing;
  beforeEach(async () => {
    clock = new Ahead();
    queueing = await startQueueing({ clock });
    const down = () => Promise.reject(new ProviderError('not_sent', 'connection refused', { phase: 'connect' }));
    Object.assign(queueing.recorder.behaviour, { a: { execute: down }, b: { execute: down } });
  });
  afterEach(() => queueing.platform.stop());
  const work = () => Object.assign(queueing.recorder.behaviour, { a: undefined, b: undefined });
  const waiting = async () => (await queueing.platform.call('GET', '/runs?status=queued&limit=100')).body.runs.length;

  const mostTried = (): string => {
    const tokens = queueing.recorder.calls.map(({ token }) => token);
    const tries = (token: string): number => tokens.filter((one) => one === token).length;
    return tokens.reduce((most, token) => (tries(token) > tries(most) ? token : most));
  };

  it('wait, and are all done once it is back after ten minutes; the receipt shows what was tried', async function () {
    this.timeout(120_000);
    const asked = await Promise.all(Array.from({ length: 30 }, (_, n) => queueing.ask(`t${n}`)));
    for (let minute = 0; minute < 10; minute++) {
      await until(waiting, (count) => count === 30, 'all to wait again');
      clock.go(60_000);
    }
    work();
    for (let step = 0; step < 20; step++) {
      clock.go(60_000);
      if ((await waiting()) === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const runs = await Promise.all(asked.map(({ body }) => queueing.ended(body.run_id)));
    expect(new Set(runs.map(({ status }) => status))).to.deep.equal(new Set(['completed']));
    const { attempts, outcome } = await queueing.facts(runs[Number(mostTried().slice(1))]);
    expect(attempts.length).to.be.within(2, 20);
    expect([attempts[0].outcome, attempts.at(-1).outcome, outcome]).to.deep.equal(['not_sent', 'accepted', 'accepted']);
  });

  it('end when they have waited too long, and nothing was sent', async () => {
    const { body } = await queueing.ask('patient', { expires_in_s: 60 });
    await until(
      async () => queueing.recorder.calls.length > 0 && (await waiting()) === 1,
      (tried) => tried,
      'the first try',
    );
    clock.go(61_000);
    const run = await queueing.ended(body.run_id);
    expect([run.status, run.reason]).to.deep.equal(['failed', 'provider_unavailable']);
    expect(run.problem).to.include({ code: 'provider_unavailable', run_status: 'failed' });
    const receipt = (await queueing.platform.call('GET', `/receipts/${run.receipt_id}`)).body;
    expect(receipt.signature_valid).to.equal(true);
    expect(receipt.statement.predicate.facts.attempts.length).to.be.greaterThan(0);
  });
});
