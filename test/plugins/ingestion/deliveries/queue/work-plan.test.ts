import { expect } from 'chai';
import type { Delivery } from '../../../../../plugins/ingestion/deliveries/delivery.ts';
import type { Normalized } from '../../../../../plugins/ingestion/deliveries/queue/normalize.ts';
import type { Unnumbered } from '../../../../../plugins/ingestion/deliveries/queue/signal-from-draft.ts';
import type { Signal } from '../../../../../plugins/ingestion/signals/signal.ts';
import { nextStep, planWork, type Work } from '../../../../../plugins/ingestion/deliveries/queue/work-plan.ts';

const fresh = (ordinal: number, more: Partial<Unnumbered> = {}): Unnumbered =>
  ({
    ...{
      ordinal,
      type: 'orb.signal.alert',
      source_id: 'src_1',
      vendor_type: 'v',
      occurred_at: '2026-11-20T10:00:00.000Z',
    },
    ...{ title: `t${ordinal}`, auth_strength: 'strong', normalizer_version: 2, ...more },
  }) as Unnumbered;
const kept = (ordinal: number, more: Partial<Signal> = {}): Signal => ({
  signal_id: `old${ordinal}`,
  ...fresh(ordinal),
  ...more,
});
const many = <T>(count: number, make: (ordinal: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

let next = 0;
const ids = (() => `sig_${next++}`) as unknown as Parameters<typeof nextStep>[2];

/** Plans a delivery with some signals recorded; shows the work in words. */
function planned(known: readonly Signal[], normalized: Normalized, more: Partial<Delivery> = {}): Work {
  const delivery = { delivery_id: 'dlv_1', progress: 0, signals: known.length, ...more } as Delivery;
  return planWork(delivery, normalized, known);
}
const shown = ({ from, state, reason, withdrawn, signals }: Work): string =>
  `${state}${reason === undefined ? '' : ` ${reason}`}: ${signals.length} from ${from}, without ${withdrawn.map(({ signal_id }) => signal_id).join(' ')}`;

describe('the work on a delivery', () => {
  const two = [fresh(0), fresh(1)];
  const both = [kept(0), kept(1)];
  const ok = (signals: readonly Unnumbered[], version = 2): Normalized => ({ signals, version });
  const rows: readonly (readonly [string, Work, string])[] = [
    ['of a new delivery is all of it', planned([], ok(two)), 'done: 2 from 0, without '],
    ['of an empty delivery is nothing', planned([], ok([])), 'ignored nothing_in_it: 0 from 0, without '],
    [
      'of one that cannot be read withdraws what there was',
      planned(both, { undecodable: 'malformed_json', detail: 'x', version: 2 }),
      'dead malformed_json: 0 from 0, without old0 old1',
    ],
    ['of a replay without a change is nothing', planned(both, ok(two)), 'done: 2 from 2, without '],
    [
      'of a replay by a newer version is nothing, if nothing changes',
      planned([kept(0, { normalizer_version: 1 })], ok([fresh(0)])),
      'done: 1 from 1, without ',
    ],
    [
      'of a replay by an older version is all of it',
      planned([kept(0, { normalizer_version: 3 })], ok([fresh(0)])),
      'done: 1 from 0, without old0',
    ],
    [
      'of a replay with another title is all of it',
      planned([kept(0), kept(1, { title: 'x' })], ok(two)),
      'done: 2 from 0, without old0 old1',
    ],
    ['of a replay with more signals is all of it', planned([kept(0)], ok(two)), 'done: 2 from 0, without old0'],
    ['of a replay with fewer signals is all of it', planned(both, ok([fresh(0)])), 'done: 1 from 0, without old0 old1'],
    [
      'of a replay that finds nothing withdraws',
      planned(both, ok([])),
      'ignored nothing_in_it: 0 from 0, without old0 old1',
    ],
    [
      'of one that was interrupted goes on',
      planned([kept(0), kept(1)], ok(two), { progress: 1, normalizer_version: 2 }),
      'done: 2 from 1, without old1',
    ],
    [
      'of one that another version began is all of it',
      planned([kept(0)], ok(two), { progress: 1, normalizer_version: 1 }),
      'done: 2 from 0, without old0',
    ],
    [
      'of one without progress is nothing, if nothing changes',
      planned([kept(0)], ok([fresh(0)]), { normalizer_version: 2 }),
      'done: 1 from 1, without ',
    ],
    [
      'of one without progress does not go on',
      planned([kept(0)], ok(two), { normalizer_version: 2 }),
      'done: 2 from 0, without old0',
    ],
    [
      'of one without recorded signals reads none',
      planned([kept(0)], ok(two), { signals: 0 }),
      'done: 2 from 0, without ',
    ],
  ];
  for (const [name, work, expected] of rows)
    it(name, () => {
      expect(shown(work)).to.equal(expected);
    });
});

describe('a step of the work', () => {
  const work = (signals: readonly Unnumbered[], more: Partial<Work> = {}): Work => ({
    ...{ delivery: { delivery_id: 'dlv_1' } as Delivery, signals, from: 0, state: 'done', withdrawn: [], version: 2 },
    ...more,
  });

  it('records what there is room for, and leaves the rest', () => {
    const { settled, left } = nextStep(work(many(5, fresh), { withdrawn: many(7, kept) }), 2, ids);
    expect(settled).to.deep.include({
      delivery_id: 'dlv_1',
      progress: 2,
      normalizer_version: 2,
      withdrawn: ['old0', 'old1'],
    });
    expect(settled).to.not.have.property('state');
    expect(settled.signals.map(({ title }) => title)).to.deep.equal(['t0', 't1']);
    expect(settled.signals[0]?.signal_id).to.match(/^sig_/);
    expect([left?.from, left?.withdrawn.map(({ ordinal }) => ordinal)]).to.deep.equal([2, [2, 3, 4, 5, 6]]);
  });

  it('ends the delivery with its last signal, and withdraws all that is left', () => {
    const last = work(many(5, fresh), { from: 3, withdrawn: [kept(3), kept(9)], state: 'ignored', reason: 'r' });
    const { settled, left } = nextStep(last, 2, ids);
    expect(left).to.equal(undefined);
    expect(settled).to.deep.include({ state: 'ignored', reason: 'r', progress: 5, withdrawn: ['old3', 'old9'] });
    expect(nextStep(work(many(2, fresh)), 9, ids).settled).to.not.have.property('reason');
  });

  it('counts analytics, takes back what it withdraws, and tells incidents of neither', () => {
    const usage = { type: 'orb.signal.analytics', title: 'u' } as const;
    const { settled, withdrawn } = nextStep(
      work([fresh(0, usage), fresh(1)], { withdrawn: [kept(0, { ...usage, title: 'w' }), kept(1)] }),
      9,
      ids,
    );
    expect(settled.usage.map(({ name, by }) => [name, by])).to.deep.equal([
      ['w', -1],
      ['u', 1],
    ]);
    expect(withdrawn).to.deep.equal(['old1']);
    expect(settled.withdrawn).to.deep.equal(['old0', 'old1']);
  });
});
