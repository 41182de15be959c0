import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { until } from '../../helpers/until.ts';
import { orb, providersOf, swapping } from './swapping.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

describe('a run that began before a change of providers', () => {
  const home = swapping();
  const refused = (): ProviderError => new ProviderError('provider_fault', 'the account is suspended');

  /** Begins a run that `a` holds; what is answered lets `a` refuse it. */
  async function held(): Promise<{ refuse: () => void; run: ReturnType<typeof home.run> }> {
    let refuse = (): void => undefined;
    const answer = new Promise<never>((_, reject) => (refuse = () => reject(refused())));
    home.recorder.behaviour['a'] = { execute: () => answer };
    const run = home.run('held');
    await until(
      () => home.recorder.calls.length,
      (calls) => calls === 1,
    );
    return { refuse, run };
  }

  it('fails over to the generation that a swap has put in the place of the standby it knew', async () => {
    const { refuse, run } = await held();
    const { body: swap } = await home.swap('b');
    refuse();
    const { status, body } = await run;
    expect([status, body.outputs?.by]).to.deep.equal([200, 'b']);
    const { predicate } = (await home.platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body.statement;
    expect(predicate.facts.attempts[1]).to.include({ provider: 'b', generation: swap.generation });
    await home.completed(swap.swap_id);
  });

  it('does not keep those waiting who may use only the provider that drains', async () => {
    mkdirSync(join(home.platform.home, 'data/orbisets'));
    const only = { id: 'only-a', tenant: 'default', orbs: [orb], providers: ['a'] };
    writeFileSync(join(home.platform.home, 'data/orbisets/only-a.json'), JSON.stringify(only));
    await home.restart();
    const { refuse, run } = await held();
    const { body: swap } = await home.swap('b');
    home.recorder.behaviour['a'] = {};
    const request = { orb_id: orb, inputs: { token: 'another' } };
    const { status, body } = await home.platform.call('POST', '/orbisets/only-a/execute', request);
    expect([status, body.outputs?.by], JSON.stringify(body)).to.deep.equal([200, 'a']);
    refuse();
    expect((await run).status).to.equal(200);
    await home.completed(swap.swap_id);
    expect((await home.platform.call('POST', '/orbisets/only-a/execute', request)).status).to.equal(200);
  });

  it('gets its receipt when the standby it knew was taken out of the order', async () => {
    const { refuse, run } = await held();
    const settings = { providers: providersOf(), bindings: { [orb]: ['a'] } };
    writeFileSync(join(home.platform.home, 'data/platform.json'), JSON.stringify(settings));
    await home.post('/config/reload');
    refuse();
    const { status, body } = await run;
    expect([status, body.code, typeof body.receipt?.receipt_id]).to.deep.equal([503, 'provider_unavailable', 'string']);
  });
});
