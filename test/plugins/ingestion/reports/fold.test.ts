import { expect } from 'chai';
import fc from 'fast-check';
import { foldReports, type ReportFact } from '../../../../plugins/ingestion/reports/fold.ts';
import { deliveryStates, type DeliveryState } from '../../../../plugins/runtime/contract.ts';

const at = (second: number): string => `2026-11-21T12:00:${String(second).padStart(2, '0')}.000Z`;
const report = (state: DeliveryState, second = 0, part?: string): ReportFact => {
  return { state, at: at(second), part, digest: `sha256:${state}${second}` };
};

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((one, place) => permutations(items.toSpliced(place, 1)).map((rest) => [one, ...rest]));
}

describe('the fold of delivery reports', () => {
  it('says nothing of no reports', () => {
    expect(foldReports([])).to.equal(undefined);
  });

  const rows: readonly (readonly [
    name: string,
    reports: readonly ReportFact[],
    state: DeliveryState,
    second: number,
    conflict?: true,
  ])[] = [
    ['goes up', [report('accepted', 0), report('queued', 1), report('sent', 2)], 'sent', 2],
    ['never goes down', [report('delivered', 1), report('sent', 5), report('queued', 9)], 'delivered', 1],
    ['takes the later of two equal states on the way', [report('sent', 1), report('sent', 3)], 'sent', 3],
    ['takes the earlier of two equal ends', [report('delivered', 3), report('delivered', 1)], 'delivered', 1],
    [
      'takes the earlier of two different ends',
      [report('undelivered', 4), report('delivered', 2)],
      'delivered',
      2,
      true,
    ],
    ['does not let a later success hide a failure', [report('expired', 1), report('delivered', 2)], 'expired', 1, true],
    ['knows that what was read was delivered', [report('delivered', 1), report('read', 9)], 'read', 9],
    ['notes that what was read had failed', [report('undelivered', 1), report('read', 9)], 'read', 9, true],
    ['waits for all parts', [report('delivered', 1, '1'), report('sent', 2, '2')], 'sent', 2],
    ['is delivered when all parts are', [report('delivered', 1, '1'), report('delivered', 2, '2')], 'delivered', 1],
    ['fails when one part does', [report('delivered', 1, '1'), report('undelivered', 2, '2')], 'undelivered', 2],
    [
      'takes ends 72 hours later',
      [report('sent', 0), { ...report('delivered'), at: '2026-11-24T12:00:00.000Z' }],
      'delivered',
      72,
    ],
  ];
  for (const [name, reports, state, second, conflict = false] of rows)
    it(`${name}, in each order and however often each comes`, () => {
      const expected = { state, at: second === 72 ? '2026-11-24T12:00:00.000Z' : at(second), conflict };
      for (const order of permutations(reports)) {
        expect(foldReports(order)).to.deep.equal(expected);
        expect(foldReports([...order, ...order.toReversed()])).to.deep.equal(expected);
      }
    });

  it('is one state in all 120 orders of five reports, with repeats', () => {
    const any = fc.record({
      state: fc.constantFrom(...deliveryStates),
      at: fc.nat(3).map(at),
      part: fc.constantFrom(undefined, '1', '2'),
      digest: fc.constantFrom('sha256:a', 'sha256:b'),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 5, maxLength: 5 }), fc.nat(4), (five, again) => {
        const expected = foldReports(five);
        for (const order of permutations(five))
          expect(foldReports([...order, five[again] as ReportFact])).to.deep.equal(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('never goes back when one more report comes', () => {
    const rank = (state: DeliveryState): number =>
      Math.max(0, [0, 1, 2, 3, 3, 3, 3, 4][deliveryStates.indexOf(state)] ?? 0);
    const one = fc.record({
      state: fc.constantFrom(...deliveryStates),
      at: fc.nat(9).map(at),
      digest: fc.constant('d'),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), one, (before, more) => {
        const [earlier, later] = [foldReports(before), foldReports([...before, more])];
        expect(rank(later?.state ?? 'accepted')).to.be.at.least(rank(earlier?.state ?? 'accepted'));
      }),
    );
  });
});
