import { expect } from 'chai';
import { Cursor } from '../../../../plugins/ledger/follow/cursor.ts';
import { Spans } from '../../../../plugins/ledger/projection/order.ts';
import { runPredicate, syntheticLog } from '../synthetic-log.ts';

type Cursors = Awaited<ReturnType<Parameters<typeof Cursor.open>[0]['reads']['cursors']>>;

describe('the positions of the ledger', () => {
  /** A log of three shards with two entries each, and the positions that are stored. */
  async function cursor(stored: Cursors) {
    const log = syntheticLog();
    for (let shard = 0; shard < 3; shard++) {
      if (shard > 0) log.rotate();
      for (let at = 0; at < 2; at++) log.append('run', runPredicate({ day: 0, second: at, caller: 1 }));
    }
    const origins = log.heads().map(({ origin }) => origin);
    const of = (shard: number, index: number) => log.entries[2 * shard + index] ?? expect.fail();
    return { made: await Cursor.open({ log, reads: { cursors: () => stored } }), origins, of };
  }
  const origin = (shard: number): string => origins[shard] ?? '';
  let origins: readonly string[];
  before(async () => ({ origins } = await cursor({ rows: [] })));

  it('are those of the rows; the newest receipt tells which was last', async () => {
    const row = (shard: number, newest: string) => ({ origin: origin(shard), index: 1, newest, first: null });
    const { made } = await cursor({ rows: [row(0, 'rec_2'), row(1, 'rec_3'), row(2, 'rec_1')] });
    expect([...made.read.values()]).to.deep.equal([2, 2, 2]);
    expect(made.last).to.deep.equal({ origin: origin(1), index: 1 });
    expect((await cursor({ rows: [] })).made.last).to.equal(undefined);
  });

  it('of an older version are the ends of all shards before the one that it names', async () => {
    const { made, of } = await cursor({ rows: [], before: { origin: origin(1), index: 0 } });
    expect([...made.read]).to.deep.equal([
      [origin(0), 2],
      [origin(1), 1],
    ]);
    const spans = new Spans();
    for (const entry of [of(1, 1), of(2, 0)]) {
      spans.add(entry);
      made.reach(entry);
    }
    const moves = made.moves(spans).map(({ first, from, index }) => [index, from, first === null]);
    expect(moves, 'all of them are new rows').to.have.deep.members([
      [1, undefined, true],
      [1, undefined, false],
      [0, undefined, false],
    ]);
    made.moved();
    expect(made.moves(spans)).to.deep.equal([]);
    expect([...made.read.values()]).to.deep.equal([2, 2, 1]);
  });

  it('name the position before a batch, and move on only with it', async () => {
    const { made, of } = await cursor({ rows: [{ origin: origin(0), index: 0, newest: 'rec_0', first: null }] });
    made.reach(of(0, 1));
    expect(made.moves(new Spans()).map(({ from, index }) => [from, index])).to.deep.equal([[0, 1]]);
    expect([...made.read.values()]).to.deep.equal([1]);
    made.moved();
    expect(made.last).to.deep.equal({ origin: origin(0), index: 1 });
  });
});

describe('shards since a snapshot', () => {
  const id = (ms: number, rest = 0): string => `rec_${String(ms).padStart(10, '0')}${String(rest).padStart(16, '0')}`;
  const overlap = (...entries: readonly (readonly [string, string])[]): boolean => {
    const spans = new Spans();
    for (const [of, receipt_id] of entries) spans.add({ origin: of, receipt_id });
    return spans.overlap();
  };

  it('overlap when one began before another had ended', () => {
    expect(overlap(['a', id(1)], ['a', id(9)])).to.equal(false);
    expect(overlap(['a', id(1)], ['a', id(3)], ['b', id(4)], ['b', id(9)])).to.equal(false);
    expect(overlap(['b', id(4)], ['a', id(5)], ['a', id(1)])).to.equal(true);
    expect(overlap(['a', id(1)], ['a', id(9)], ['b', id(2)], ['c', id(5)])).to.equal(true);
  });

  it('do not overlap within the millisecond in which one follows the other', () => {
    expect(overlap(['a', id(1)], ['a', id(4, 7)], ['b', id(4, 2)], ['b', id(9)])).to.equal(false);
  });
});
