import { expect } from 'chai';
import type { Status } from '../../../plugins/observability/contract.ts';
import { gapBeside } from '../../../plugins/observability/status/gap.ts';
import { each, folded } from '../../../plugins/observability/status/measure.ts';

const last = Date.UTC(2026, 10, 21);
const minute = 60_000;
const starts = { graceMs: 10 * minute };

describe('the heartbeats of several nodes', () => {
  const left = { last_at: last, clean: true };
  it('leave no gap while one of them beats', () => {
    const beats = [left, { last_at: last + minute, clean: false }];
    expect(gapBeside(beats, { at: last + minute + 1, slept: false, starts }).kind).to.equal('none');
    expect(gapBeside(beats, { at: last + minute + 1, slept: false }).kind).to.equal('none');
    expect(gapBeside([], { at: last, slept: false, starts }).kind).to.equal('none');
  });

  it('leave a gap from the last of them on', () => {
    const beats = [{ last_at: last - 5000, clean: false }, left];
    const gap = gapBeside(beats, { at: last + minute, slept: false });
    expect(gap).to.deep.equal({ kind: 'outage', from: last, to: last + minute });
  });

  it('show a planned restart when all that were there to the end had left cleanly', () => {
    const kindOf = (clean: boolean, before: number) =>
      gapBeside([left, { last_at: last - before, clean }], { at: last + minute, slept: false, starts }).kind;
    expect(kindOf(true, 5000)).to.equal('planned');
    expect(kindOf(false, 5000), 'one was killed after the other left').to.equal('outage');
    expect(kindOf(false, minute), 'one was killed long before').to.equal('planned');
  });
});

describe('the status of several nodes', () => {
  const table: readonly (readonly [nodes: readonly Status[], status: Status])[] = [
    [['operational', 'operational'], 'operational'],
    [['operational', 'major_outage'], 'degraded_performance'],
    [['major_outage', 'major_outage'], 'major_outage'],
    [['degraded_performance', 'major_outage'], 'degraded_performance'],
    [['partial_outage', 'major_outage'], 'partial_outage'],
    [['major_outage'], 'major_outage'],
  ];
  for (const [nodes, status] of table)
    it(`is ${status} when they are ${nodes.join(' and ')}`, () => {
      expect(folded(nodes.map((one) => each(() => one))).runtime).to.equal(status);
    });
});
