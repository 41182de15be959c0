import { expect } from 'chai';
import type { Run } from '../../../../plugins/runtime/dispatch/run-record.ts';
import { OpenRuns } from '../../../../plugins/runtime/dispatch/open-runs.ts';

describe('the open runs', () => {
  it('are counted of their Orb and of their Orbiset until they have left', () => {
    const open = new OpenRuns();
    const run = (orb_id: string, id: string) => ({ orb: { orb_id }, orbiset: { id } }) as unknown as Run;
    const counts = () => ['a.b@1.0.0', 'c.d@1.0.0', 'own', 'other'].map((id) => open.of(id));
    const runs = [run('a.b@1.0.0', 'own'), run('a.b@1.0.0', 'other'), run('c.d@1.0.0', 'own')];
    for (const each of runs) open.enter(each);
    expect(counts()).to.deep.equal([2, 1, 2, 1]);
    const left = runs.map((each) => (open.leave(each), counts()));
    expect(left).to.deep.equal([
      [1, 1, 1, 1],
      [0, 1, 1, 0],
      [0, 0, 0, 0],
    ]);
  });
});
