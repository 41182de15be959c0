import { expect } from 'chai';
import { usageOf } from '../../../../plugins/ingestion/deliveries/usage.ts';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';
import type { AuthStrength } from '../../../../plugins/ingestion/signals/words.ts';

const event = (auth_strength: AuthStrength, more: Partial<Signal> = {}): Signal =>
  ({
    ...{ type: 'orb.signal.analytics', source_id: 'src_1', occurred_at: '2026-11-20T23:59:59.999Z' },
    ...{ vendor_type: 'track', title: 'a', auth_strength, ...more },
  }) as Signal;

describe('the usage of a source', () => {
  const proofs: readonly (readonly [AuthStrength, boolean])[] = [
    ['strong', true],
    ['shared_secret', true],
    ['url_token', false],
    ['none', false],
  ];
  for (const [strength, verified] of proofs)
    it(`is ${verified ? '' : 'not '}verified by a proof that is ${strength}`, () => {
      expect(usageOf([event(strength)])).to.deep.equal([
        { source_id: 'src_1', day: '2026-11-20', kind: 'track', name: 'a', verified, by: 1 },
      ]);
    });

  it('is counted apart by source, day, kind and name', () => {
    const others = [
      { source_id: 'src_2' },
      { occurred_at: '2026-11-21T00:00:00.000Z' },
      { vendor_type: 'page' },
      { title: 'b' },
    ];
    const events = [event('strong'), event('strong'), ...others.map((more) => event('strong', more))];
    expect(usageOf(events, -1).map(({ by }) => by)).to.deep.equal([-2, -1, -1, -1, -1]);
  });
});
