import { expect } from 'chai';
import type { Answer } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { orb, path, swapping } from './swapping.ts';

describe('swaps', () => {
  const home = swapping();

  it('the status shows who serves, who stands by, and nothing else', async () => {
    const { headers, body } = await home.platform.call('GET', `${path}/status`);
    expect(body).to.include({ orb_id: orb, active_provider: 'a', source: 'config', swap_status: 'stable' });
    expect(body.providers.map(({ name, role, health }: Answer['body']) => [name, role, health])).to.deep.equal([
      ['a', 'active', 'up'],
      ['b', 'standby', 'up'],
    ]);
    expect(headers.get('etag')).to.equal(`"${body.generation}"`);
  });

  it('a swap binds the new provider by a new generation; the old one stays as standby; runs go on', async () => {
    const before = (await home.status()).generation;
    expect((await home.run('one')).body.outputs.by).to.equal('a');
    const { status: code, body } = await home.swap('b');
    expect(code).to.equal(200);
    expect(body).to.include({ orb_id: orb, from: 'a', to: 'b', state: 'completed' });
    expect(body.generation).to.be.greaterThan(before);
    expect((await home.run('two')).body.outputs.by).to.equal('b');
    const after = await home.status();
    expect(after).to.include({
      active_provider: 'b',
      source: 'swap',
      swap_status: 'stable',
      generation: body.generation,
    });
    expect(after.providers.map(({ name, role }: Answer['body']) => [name, role])).to.deep.equal([
      ['b', 'active'],
      ['a', 'standby'],
    ]);
    expect(after.last_swap.swap_id).to.equal(body.swap_id);
  });

  it("a run's receipt names the generation and the swap that bound it; the swap is attested", async () => {
    const { body: swapped } = await home.swap('c');
    const { body } = await home.run('x');
    const { predicate } = (await home.platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body.statement;
    expect(predicate.facts.provider).to.deep.include({
      name: 'c',
      generation: swapped.generation,
      swap_id: swapped.swap_id,
    });
    expect(predicate.facts.attempts[0]).to.include({ provider: 'c', generation: swapped.generation });
    const attested = (await home.platform.call('GET', `/receipts/${swapped.receipt_id}`)).body;
    expect(attested.signature_valid).to.equal(true);
    expect(attested.statement.predicateType).to.equal('urn:agent-orb:swap:v1');
    expect(attested.statement.predicate.facts).to.include({ from: 'a', to: 'c', generation: swapped.generation });
    expect(attested.statement.predicate.facts.principal).to.match(/^prn_/);
  });

  it('a provider outside the order that was swapped away from is closed', async () => {
    const { body } = await home.swap('c');
    const back = await home.swap('a');
    await home.completed(back.body.swap_id);
    expect((await home.status()).providers.map(({ name }: Answer['body']) => name)).to.deep.equal(['a', 'b']);
    expect(body.to).to.equal('c');
    expect(home.recorder.open.size).to.equal(2);
  });

  it('rollback swaps back, says what it undoes, and the undone swap becomes rolled_back', async () => {
    const { body: first } = await home.swap('b');
    const { status: code, body } = await home.post(`${path}/rollback`);
    expect([code, body.to, body.rolls_back]).to.deep.equal([200, 'a', first.swap_id]);
    expect((await home.platform.call('GET', `/swaps/${first.swap_id}`)).body.state).to.equal('rolled_back');
    expect((await home.run('x')).body.outputs.by).to.equal('a');
  });

  it('rollback without a swap is refused', async () => {
    expect((await home.post(`${path}/rollback`)).body.code).to.equal('invalid_provider');
  });

  it('If-Match lets only the bound generation pass, also after a swap back to the same provider', async () => {
    const first = `"${(await home.status()).generation}"`;
    expect((await home.swap('b', { 'if-match': first })).status).to.equal(200);
    const stale = await home.swap('a', { 'if-match': first });
    expect([stale.status, stale.body.code]).to.deep.equal([412, 'precondition_failed']);
    await home.swap('a');
    expect((await home.swap('b', { 'if-match': first })).status).to.equal(412);
  });

  it('a second swap is refused until the first has switched; a drain does not block', async () => {
    let proceed = (): void => undefined;
    home.recorder.behaviour['b'] = { probe: () => new Promise((resolve) => (proceed = resolve)) };
    const first = home.swap('b');
    await until(home.status, ({ last_swap }) => last_swap?.state === 'probing');
    const second = await home.swap('c');
    expect([second.status, second.body.code]).to.deep.equal([409, 'swap_in_progress']);
    expect((await home.status()).swap_status).to.equal('swapping');
    proceed();
    expect((await first).status).to.equal(200);
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    home.recorder.behaviour['b'] = { execute: () => held };
    const slow = home.run('slow');
    await until(
      () => home.recorder.calls.length,
      (calls) => calls === 1,
    );
    const third = await home.swap('c');
    expect([third.status, third.body.state]).to.deep.equal([200, 'draining']);
    expect((await home.status()).swap_status).to.equal('draining');
    expect((await home.status()).providers.find(({ role }: Answer['body']) => role === 'draining')).to.include({
      name: 'b',
      in_flight: 1,
    });
    expect((await home.swap('a')).status).to.equal(200);
    finish();
    expect((await slow).body.outputs.by).to.equal('b');
    await home.completed(third.body.swap_id);
    expect((await home.status()).swap_status).to.equal('stable');
  });

  it('a restart comes back on the swapped provider, with a greater generation', async () => {
    const { body } = await home.swap('b');
    await home.restart();
    const after = await home.status();
    expect(after).to.include({ active_provider: 'b', source: 'swap' });
    expect(after.generation).to.be.greaterThan(body.generation);
    expect((await home.platform.call('GET', `/swaps/${body.swap_id}`)).body.state).to.equal('completed');
  });

  it('swaps are listed newest first by cursor', async () => {
    for (const provider of ['b', 'a', 'b']) await home.swap(provider);
    const first = (await home.platform.call('GET', `/swaps?limit=2&orb_id=${orb}`)).body;
    const rest = (await home.platform.call('GET', `/swaps?limit=2&orb_id=${orb}&cursor=${first.next_cursor}`)).body;
    expect([...first.swaps, ...rest.swaps].map(({ to }: Answer['body']) => to)).to.deep.equal(['b', 'a', 'b']);
    expect(rest.next_cursor).to.equal(undefined);
    expect((await home.platform.call('GET', '/swaps/swp_nothing')).body.code).to.equal('swap_not_found');
  });

  it('a swap to the provider that is bound opens it again, says that nothing changed, and is not listed', async () => {
    const before = (await home.status()).generation;
    const { status: code, body } = await home.swap('a');
    expect([code, body.changed, body.from, body.to]).to.deep.equal([200, false, 'a', 'a']);
    expect(body.generation).to.be.greaterThan(before);
    await home.completed(body.swap_id);
    expect((await home.platform.call('GET', '/swaps')).body.swaps).to.deep.equal([]);
    expect((await home.platform.call('GET', `/swaps/${body.swap_id}`)).body.changed).to.equal(false);
    const { facts } = (await home.platform.call('GET', `/receipts/${body.receipt_id}`)).body.statement.predicate;
    expect(facts).not.to.have.property('changed');
    const { body: real } = await home.swap('b');
    expect(real).not.to.have.property('changed');
    await home.restart();
    const { swaps } = (await home.platform.call('GET', '/swaps')).body;
    expect(swaps.map(({ swap_id }: Answer['body']) => swap_id)).to.deep.equal([real.swap_id]);
  });

  it('needs providers:swap to swap and providers:read to look', async () => {
    const reader = await home.platform.key({ scopes: ['providers:read'] });
    expect((await home.platform.call('GET', `${path}/status`, undefined, reader)).status).to.equal(200);
    expect((await home.platform.call('POST', `${path}/swap`, { provider: 'b' }, reader)).body.code).to.equal(
      'insufficient_scope',
    );
  });

  describe('a slow drain', () => {
    it('ends the run by the outcome table when its patience is over, and resends nothing', async () => {
      await home.restart({ swap_drain_ms: 50 });
      home.recorder.behaviour['a'] = { execute: () => new Promise(() => undefined) };
      const slow = home.run('slow');
      await until(
        () => home.recorder.calls.length,
        (calls) => calls === 1,
      );
      const { body } = await home.swap('b');
      expect(body.state).to.equal('draining');
      const { status: code, body: answer } = await slow;
      expect([code, answer.code, answer.retryable]).to.deep.equal([504, 'outcome_unknown', false]);
      expect(home.recorder.calls.map(({ token }) => token)).to.deep.equal(['slow']);
      const { predicate } = (await home.platform.call('GET', `/receipts/${answer.receipt.receipt_id}`)).body.statement;
      expect(predicate.facts.attempts[0]).to.include({ provider: 'a', outcome: 'unknown', phase: 'drain' });
      await home.completed(body.swap_id);
    });
  });
});
