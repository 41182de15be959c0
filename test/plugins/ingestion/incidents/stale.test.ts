import { expect } from 'chai';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';
import { noon, openBench, signalOf, sourceOf, type Bench } from './bench.ts';

const hour = 3600;
const source = sourceOf('alertmanager', { stale_after_s: 8 * hour, hold_s: 0 });

/** An alert as its vendor says it at an hour: it fires, or is over, since another one. */
const said = (hours: number, state: Signal['state'] = 'firing', received = hours): Signal => ({
  ...signalOf(source, { at: hours * hour, state, key: `${state} ${hours} ${received}` }),
  received_at: new Date(noon + received * hour * 1000).toISOString(),
});

const hourOf = (time: string | undefined): string =>
  time === undefined ? '' : String((Date.parse(time) - noon) / 3_600_000);

/** Lists the incidents by start, as `<state> <start>-<end>`, in hours. */
const shown = (bench: Bench): readonly string[] =>
  bench
    .live()
    .map(({ facts }) => `${facts.state} ${hourOf(facts.starts_at)}-${hourOf(facts.ends_at)}`)
    .toSorted((a, b) => parseFloat(a.split(' ')[1] ?? '') - parseFloat(b.split(' ')[1] ?? ''));

describe('an alert without news for long', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
    await bench.deliver(source, [said(0)]);
  });
  afterEach(() => bench.close());

  const tick = (hours: number): Promise<void> => bench.tick(noon + hours * hour * 1000);
  /** Lets a person act on the only incident at an hour. */
  const act = async (word: 'resolve' | 'retract', hours: number): Promise<void> => {
    bench.now(noon + hours * hour * 1000);
    const route = bench.side.routes.find(({ path }) => path.endsWith(`/${word}`));
    const call = { params: bench.live()[0], body: { reason: 'seen to' }, principal: { id: 'prn_1' } };
    await Promise.resolve(route?.handle(call as never));
  };

  it('has expired, and stays so when it fires again: that is an incident of its own', async () => {
    await tick(8);
    expect(shown(bench)).to.deep.equal(['resolved 0-8']);
    const attested = bench.facts.length;
    await tick(96);
    await bench.deliver(source, [said(96)]);
    expect(shown(bench)).to.deep.equal(['resolved 0-8', 'open 96-']);
    expect(bench.facts.slice(attested).map(({ fact }) => fact.facts.change)).to.deep.equal(['opened']);
    bench = await bench.restart();
    await tick(97);
    await bench.deliver(source, [said(97, 'resolved')]);
    expect(shown(bench)).to.deep.equal(['resolved 0-8', 'resolved 96-97']);
  });

  it('has expired at that time also when nobody looked before it fires again', async () => {
    bench.now(noon + 96 * hour * 1000);
    await bench.deliver(source, [said(96)]);
    expect(shown(bench)).to.deep.equal(['resolved 0-8', 'open 96-']);
  });

  for (const [word, left] of [
    ['resolve', ['resolved 0-1']],
    ['retract', []],
  ] as const)
    it(`opens an incident when it fires again after a person chose to ${word} the one before`, async () => {
      await act(word, 1);
      await tick(96);
      await bench.deliver(source, [said(96)]);
      expect(shown(bench)).to.deep.equal([...left, 'open 96-']);
    });

  it('goes on when it is said again in time, be it in the same bytes or in others', async () => {
    const first = said(0);
    await tick(7);
    bench.seen.set(first.delivery_id, new Date(noon + 7 * hour * 1000).toISOString());
    await bench.side.sink.refreshed({ delivery_id: first.delivery_id, source_id: source.source_id, at: '' });
    await tick(14);
    expect(shown(bench)).to.deep.equal(['open 0-']);
    const other = said(0, 'firing', 14);
    await bench.deliver(source, [other]);
    await tick(21);
    expect(shown(bench)).to.deep.equal(['open 0-']);
    bench.seen.set(other.delivery_id, new Date(noon + 21 * hour * 1000).toISOString());
    await bench.side.sink.refreshed({ delivery_id: other.delivery_id, source_id: source.source_id, at: '' });
    bench = await bench.restart();
    await tick(28);
    expect(shown(bench)).to.deep.equal(['open 0-']);
    await tick(29);
    expect(shown(bench)).to.deep.equal(['resolved 0-29']);
  });

  it('was seen when its delivery last came, also when that waited to be read meanwhile', async () => {
    const other = signalOf(source, { alert: 'b', at: 0 });
    bench.seen.set(other.delivery_id, new Date(noon + 12 * hour * 1000).toISOString());
    await tick(13);
    await bench.deliver(source, [other]);
    await tick(19);
    expect(shown(bench).at(-1)).to.equal('open 0-');
    await tick(20);
    expect(shown(bench).at(-1)).to.equal('resolved 0-20');
  });

  it('is open again when its vendor says that it has never ended', async () => {
    await tick(8);
    await bench.deliver(source, [said(0, 'firing', 24)]);
    expect(shown(bench)).to.deep.equal(['open 0-']);
    await tick(32);
    expect(shown(bench)).to.deep.equal(['resolved 0-32']);
  });

  it('stays as a person left it, however often it is said again', async () => {
    await act('resolve', 1);
    for (const at of [4, 8, 12]) await bench.deliver(source, [said(0, 'firing', at)]);
    await tick(96);
    expect(shown(bench)).to.deep.equal(['resolved 0-1']);
  });
});
