import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import type { Answer } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { orb, providersOf, swapping } from './swapping.ts';

describe('a swap whose patience is over', () => {
  const home = swapping();
  const calledOnce = (): Promise<number> =>
    until(
      () => home.recorder.calls.length,
      (calls) => calls === 1,
    );
  async function attemptsOf({ body }: Answer): Promise<unknown[]> {
    const { statement } = (await home.platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body;
    const { attempts } = statement.predicate.facts;
    return attempts.map(({ provider, outcome, phase }: Answer['body']) => [provider, outcome, phase]);
  }

  it('sends a run that waits to try again on to the next provider, and is completed before it', async () => {
    await home.restart({ swap_drain_ms: 50 });
    home.recorder.behaviour['a'] = {
      execute: () => Promise.reject(new ProviderError('throttled', 'later', { retry_after: 1 })),
    };
    const run = home.run('x');
    await calledOnce();
    const { body: swap } = await home.swap('b');
    const answer = await run;
    expect([answer.status, answer.body.outputs?.by]).to.deep.equal([200, 'b']);
    expect(await attemptsOf(answer)).to.deep.equal([
      ['a', 'throttled', undefined],
      ['a', 'not_sent', 'drain'],
      ['b', 'accepted', undefined],
    ]);
    await home.completed(swap.swap_id);
  });

  it('lets no run that waited for a place begin at the provider that goes', async () => {
    const limited = { adapter: 'record/local', config: { name: 'a' }, limits: { concurrency: 1, queue: 5 } };
    const bindings = { [orb]: ['a', 'b'] };
    await home.restart({ swap_drain_ms: 50, providers: providersOf({ a: limited }), bindings });
    home.recorder.behaviour['a'] = { execute: () => new Promise(() => undefined) };
    const first = home.run('first');
    await calledOnce();
    const second = home.run('second');
    await until(
      () => home.status(),
      ({ providers }) => providers[0].in_flight === 2,
    );
    const { body: swap } = await home.swap('b');
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ status }) => status)).to.deep.equal([504, 200]);
    expect(home.recorder.calls.map(({ provider, token }) => [provider, token])).to.deep.equal([
      ['a', 'first'],
      ['b', 'second'],
    ]);
    await home.completed(swap.swap_id);
  });
});
