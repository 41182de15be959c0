import { expect } from 'chai';
import { usageOf } from '../../../../plugins/ingestion/deliveries/usage.ts';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';
import { openYard } from '../signals/yard.ts';
import { operation } from '../../../../kernel/index.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';

const event = (title: string, more: Partial<Signal> = {}): Signal =>
  ({
    type: 'orb.signal.analytics',
    source_id: 'src_1',
    occurred_at: '2026-11-20T10:00:00.000Z',
    vendor_type: 'track',
    title,
    auth_strength: 'shared_secret',
    ...more,
  }) as Signal;

describe('usage', function () {
  this.timeout(60_000);

  it('counts analytics alone, by day, name and proof', () => {
    const counts = usageOf([
      event('a'),
      event('a'),
      event('a', { auth_strength: 'url_token' }),
      event('b', { type: 'orb.signal.alert' }),
    ]);
    expect(counts.map(({ name, verified, by }) => [name, verified, by])).to.deep.equal([
      ['a', true, 2],
      ['a', false, 1],
    ]);
  });

  it('takes back what a replay replaces, and names at most 200 events a day', async () => {
    const yard = await openYard();
    const source_id = await yard.source();
    const id = await yard.deliver(source_id, 'usage');
    const count = async (signals: readonly Signal[], sign: 1 | -1) => {
      const usage = usageOf(signals, sign);
      const none = { signals: [], withdrawn: [], progress: 0, normalizer_version: 1 };
      const settled = { delivery_id: id, ...none, usage };
      await yard.store.write([operation(ingestionStore, 'settle', settled)]);
      return yard.reads.usage(source_id, '2026-11-20');
    };
    const two = [event('a', { source_id }), event('b', { source_id })];
    expect(await count(two, 1)).to.have.length(2);
    expect(await count(two.slice(0, 1), -1)).to.deep.equal([
      { day: '2026-11-20', kind: 'track', name: 'b', verified: true, count: 1 },
    ]);
    const many = Array.from({ length: 300 }, (_, index) => event(`name ${index}`, { source_id }));
    const shown = await count(many, 1);
    expect(shown.length).to.be.at.most(201);
    expect(shown.reduce((sum, one) => sum + one.count, 0)).to.equal(301);
    expect(shown[0]).to.include({ name: '(other)' });
    await yard.close();
  });
});
