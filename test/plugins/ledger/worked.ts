import { expect } from 'chai';
import type { Profile } from '../../../plugins/ledger/contract.ts';
import { count, generate, judge, type Generated, type Said } from './generator.ts';
import type { Incident } from '../../../plugins/ledger/fact/incident.ts';

/** A case of the reference: what is generated and said of it, the day it is judged, and what it comes to. */
export interface Case {
  /** As numbered by the reference. */
  readonly name: string;
  /** Days, callers, runs of each caller a day. */
  readonly g: readonly [number, number, number | readonly number[]];
  readonly said?: Said;
  readonly day: number;
  readonly incidents?: readonly Incident[];
  readonly score: number;
  readonly raw?: number;
  readonly limited?: string;
  readonly nEff: number;
  readonly r: number;
  /** The highest row that holds. */
  readonly rows: string;
}

/** Every n-th run fails. */
export const every = (n: number): Said => ({ fails: ({ i }: Generated) => i % n === 0 });

/** Sixty days of ten callers with four runs each. */
export const g60 = [60, 10, 4] as const;

/** The reliability is what limits the score. */
export const rel = { limited: 'reliability' } as const;

/** Names the tier of the highest row that holds. */
export const tierOf = (rows: readonly boolean[]): string =>
  ['none', 'bronze', 'silver', 'gold', 'platinum'][rows.filter(Boolean).length] ?? '';

/** Tests that each case comes to its numbers under a profile. */
export function itComesTo(cases: readonly Case[], profile: Profile): void {
  for (const { name, g, said, day, incidents = [], ...want } of cases) {
    it(`case ${name}: ${want.score}, ${want.rows}`, () => {
      const { evaluation, rows } = judge(count(generate(...g), said), day, { profile, incidents });
      expect((evaluation.score_milli ?? -1) / 1000).to.be.closeTo(want.score, 0.0011);
      expect(evaluation.n_eff_milli / 1000).to.be.closeTo(want.nEff, 0.06);
      expect(evaluation.r_micro / 1_000_000).to.be.closeTo(want.r, 0.00006);
      if (want.raw !== undefined) {
        const raw = evaluation.points_milli.reduce((sum, points) => sum + points, 0) / 1000;
        expect(raw).to.be.closeTo(want.raw, 0.005);
      }
      if (want.limited !== undefined) expect(evaluation.limited_by).to.equal(want.limited);
      expect(tierOf(rows)).to.equal(want.rows);
    });
  }
}
