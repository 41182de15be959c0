import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { until } from '../../helpers/until.ts';
import type { VendorServer } from '../../helpers/vendor.ts';
import { startBed, type Bed, type Made } from './bed.ts';

const hourMs = 3_600_000;

describe('subscriptions that a run names', function () {
  this.timeout(60_000);
  let bed: Bed;
  let receiver: VendorServer;
  let made: Made;
  before(async () => {
    bed = await startBed({ most_waiting: 2 });
    receiver = await bed.receiver();
    made = await bed.subscribe(receiver.url, { types: ['run.denied'], filter: { orb_id: 'demo.echo@1.0.0' } });
    bed.recorder.behaviour['a'] = {
      execute: (token) => {
        if (token === 'lost') throw new ProviderError('unknown', 'the outcome is unknown', { phase: 'data' });
      },
    };
  });
  after(() => bed.stop());

  const idOf = ({ subscription }: Made): string => subscription.subscription_id;
  const execute = (more: object) =>
    bed.platform.call('POST', '/orbisets/default/execute', {
      ...{ orb_id: 'test.record@1.0.0', inputs: { token: 'named' } },
      ...more,
    });
  const naming = (one: Made, more: object = {}) =>
    execute({ mode: 'async', callback: { subscription_id: idOf(one) }, ...more });
  const told = async (count: number) => {
    const all = await until(
      () => receiver.posts,
      ({ length }) => length >= count,
      'a callback',
    );
    expect(all.length).to.equal(count);
    const { type, data } = JSON.parse(String(all.at(-1)?.body)) as { type: string; data: Record<string, unknown> };
    return { type, run_id: data['run_id'], status: data['status'] };
  };

  it('are told of it, whatever their types and filter are, and of no other', async () => {
    expect((await execute({ mode: 'async' })).status).to.equal(202);
    const answer = await naming(made);
    expect([answer.status, answer.body]).to.deep.include(202);
    const { run_id } = answer.body;
    expect(await told(1)).to.deep.equal({ type: 'run.completed', run_id, status: 'completed' });
    const { body } = await bed.platform.call('GET', `/receipts/${(await runOf(run_id)).receipt_id}`);
    expect(JSON.stringify(body)).not.to.include(idOf(made));
  });

  const runOf = async (run_id: string) =>
    (
      await until(
        () => bed.platform.call('GET', `/runs/${run_id}`),
        ({ body }) => body.receipt_id !== undefined,
        'an end',
      )
    ).body;

  it('are told of a run that was cancelled after a restart, before its turn', async () => {
    const run_at = new Date(Date.now() + hourMs).toISOString();
    const { run_id } = (await naming(made, { run_at })).body;
    await bed.restart();
    expect((await bed.platform.call('POST', `/runs/${run_id}/cancel`)).status).to.equal(200);
    expect(await told(2)).to.deep.equal({ type: 'run.failed', run_id, status: 'cancelled' });
  });

  it('are told when it is settled', async () => {
    const { run_id } = (await naming(made, { inputs: { token: 'lost' } })).body;
    expect(await told(3)).to.deep.equal({ type: 'run.indeterminate', run_id, status: 'indeterminate' });
    const other = (await execute({ mode: 'async', inputs: { token: 'lost' } })).body.run_id;
    await runOf(other);
    await bed.platform.call('POST', `/runs/${other}/resolve`, { outcome: 'sent' });
    await bed.platform.call('POST', `/runs/${run_id}/resolve`, { outcome: 'sent' });
    expect(await told(4)).to.deep.equal({ type: 'run.completed', run_id, status: 'completed' });
  });

  it('are part of what an Idempotency-Key repeats', async () => {
    const keyed = async (more: object) => {
      const response = await fetch(`${bed.platform.url}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bed.platform.adminKey}`,
          ...{ 'content-type': 'application/json', 'idempotency-key': 'named-1' },
        },
        body: JSON.stringify({ orb_id: 'test.record@1.0.0', inputs: { token: 'k' }, mode: 'async', ...more }),
      });
      return (await response.json()) as { readonly run_id?: string; readonly code?: string };
    };
    const { run_id } = await keyed({ callback: { subscription_id: idOf(made) } });
    expect(await told(5)).to.include({ run_id });
    expect((await keyed({ callback: { subscription_id: idOf(made) } })).run_id).to.equal(run_id);
    expect((await keyed({})).code).to.equal('idempotency_mismatch');
  });

  it('must be of its Orbiset, and on', async () => {
    const foreign = await bed.subscribe(receiver.url, {}, 'keeping');
    const gone = await bed.receiver();
    gone.fault = { status: 410 };
    const off = await bed.subscribe(gone.url);
    await bed.run('off');
    await until(
      () => bed.show(off),
      ({ state }) => state === 'off',
      'the end',
    );
    const named = (subscription_id: string) => ({ mode: 'async', callback: { subscription_id } });
    const id = '#/callback/subscription_id';
    const cases: readonly (readonly [object, string])[] = [
      [named('sub_01M8D659DZFMC80JT7JNKX0KV2'), id],
      [named(idOf(foreign)), id],
      [named(idOf(off)), id],
      [{ callback: { subscription_id: idOf(made) } }, '#/callback'],
      [{ mode: 'async', callback: { ...named(idOf(made)).callback, url: receiver.url } }, '#/callback/url'],
      [{ mode: 'async', callback: {} }, id],
    ];
    const before = (await bed.platform.call('GET', '/runs')).body.runs.length;
    for (const [body, pointer] of cases) {
      const answer = await execute(body);
      expect([answer.status, answer.body.code, answer.body.errors?.[0]?.pointer]).to.deep.equal(
        [422, 'invalid_body', pointer],
        JSON.stringify(answer.body),
      );
    }
    expect((await bed.platform.call('GET', '/runs')).body.runs.length).to.equal(before);
  });

  it('are switched off when too many callbacks wait, and not while no more come', async () => {
    const slow = await bed.receiver();
    const waiting = await bed.subscribe(slow.url);
    const path = `/subscriptions/${idOf(waiting)}`;
    await bed.platform.call('PATCH', path, { state: 'paused' });
    await until(
      async () => {
        await bed.run('more');
        return bed.show(waiting);
      },
      ({ state }) => state === 'off',
      'the bound',
    );
    expect((await bed.show(waiting))['reason']).to.equal('more than 2 callbacks are waiting');
    await until(
      async () => JSON.stringify((await bed.platform.call('GET', '/incidents?state=open')).body.incidents),
      (incidents) => incidents.includes(idOf(waiting)),
      'its incident',
    );
    const kept = (await bed.callbacks(waiting)).length;
    await bed.run('nobody hears');
    expect((await bed.callbacks(waiting)).length).to.equal(kept);
    const resume = () => bed.platform.call('PATCH', path, { state: 'active' });
    slow.fault = { status: 503 };
    await resume();
    // Five seconds between two tries: their number was compared meanwhile.
    await until(
      () => bed.callbacks(waiting),
      (all) => all.every(({ tries }) => tries === 2),
      'two tries of each',
    );
    expect((await bed.show(waiting))['state']).to.equal('active');
    await bed.run('one more');
    await until(
      () => bed.show(waiting),
      ({ state }) => state === 'off',
      'the bound again',
    );
    slow.fault = undefined;
    await resume();
    bed.advance(hourMs);
    await until(
      () => bed.callbacks(waiting),
      (all) => all.every(({ state }) => state === 'delivered'),
      'what waited',
    );
    expect((await bed.show(waiting))['state']).to.equal('active');
  });
});
