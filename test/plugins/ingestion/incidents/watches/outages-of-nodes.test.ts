import { expect } from 'chai';
import { foldedOutages } from '../../../../../plugins/ingestion/incidents/watches/outages-of-nodes.ts';
import type { MeasuredOutage } from '../../../../../plugins/ingestion/incidents/watches/store.ts';

const orb = 'a.b@1.0.0';
const out = (incarnation: string, at_ms: number, reason = 'no provider'): MeasuredOutage => ({
  ...{ subject: orb, incarnation, state: 'firing', at_ms, reason },
});
const over = (incarnation: string, at_ms: number): MeasuredOutage => ({
  ...out(incarnation, at_ms),
  state: 'resolved',
});

describe('the outages that several nodes measure', () => {
  type Row = readonly [
    name: string,
    rows: readonly MeasuredOutage[],
    serving: readonly string[],
    open: number | undefined,
    expected: object | undefined,
  ];
  const table: readonly Row[] = [
    ['one of two nodes is out: no outage', [out('a', 10)], ['a', 'b'], undefined, undefined],
    [
      'all are out: an outage from the time of the last on',
      [out('a', 10, ''), out('b', 20)],
      ['a', 'b'],
      undefined,
      { state: 'firing', at_ms: 20, reason: 'no provider' },
    ],
    ['it is recorded once', [out('a', 10), out('b', 20)], ['a', 'b'], 20, undefined],
    ['a node that has ended does not count', [out('a', 10), over('b', 5)], ['a'], undefined, { state: 'firing' }],
    [
      'one can serve again: it is over',
      [out('a', 10), over('b', 90)],
      ['a', 'b'],
      20,
      { state: 'resolved', at_ms: 90 },
    ],
    [
      'its end does not lie before its beginning',
      [out('a', 100), over('b', 90)],
      ['a', 'b'],
      100,
      { state: 'resolved', at_ms: 101 },
    ],
    [
      'a node that never was out serves: it is over now',
      [out('a', 10)],
      ['a', 'c'],
      20,
      { state: 'resolved', at_ms: 500 },
    ],
    ['nobody serves: nothing is known', [out('a', 10)], [], undefined, undefined],
  ];
  for (const [name, rows, serving, open, expected] of table)
    it(name, () => {
      const recorded = { open: new Map(open === undefined ? [] : [[orb, open]]), now_ms: 500 };
      const [event, ...more] = foldedOutages(rows, serving, recorded);
      expect(more).to.deep.equal([]);
      if (expected === undefined) expect(event).to.equal(undefined);
      else expect(event).to.deep.include({ subject: orb, ...expected });
    });
});
