import { expect } from 'chai';
import { folderState, isBetween } from '../../../../plugins/policy/folder/compare.ts';

describe('the folder of one of several nodes', () => {
  const rows = [
    { name: 'holds the active revision', digest: 'q', active: 'q', base: 'p', state: 'equal' },
    { name: 'is the first there is', digest: 'q', active: undefined, base: undefined, state: 'changed' },
    { name: 'is taken to another database', digest: 'q', active: undefined, base: 'q', state: 'changed' },
    { name: 'holds what was active', digest: 'p', active: 'q', base: 'p', state: 'behind' },
    { name: 'was changed', digest: 'r', active: 'q', base: 'q', state: 'changed' },
    { name: 'was changed while another was activated', digest: 'r', active: 'q', base: 'p', state: 'apart' },
    { name: 'was never equal to an active revision', digest: 'r', active: 'q', base: undefined, state: 'apart' },
  ] as const;
  for (const { name, state, ...compared } of rows)
    it(`${name}: ${state}`, () => expect(folderState(compared)).to.equal(state));

  it('is known for one whose write broke off, and for no other', () => {
    const file = (path: string, source = path) => ({ path, source });
    const from = [file('a'), file('b'), file('c')];
    const to = [file('a'), file('b', 'new'), file('d')];
    expect(isBetween([file('a'), file('b'), file('d')], from, to)).to.equal(true);
    expect(isBetween([file('a'), file('b', 'new'), file('c'), file('d')], from, to)).to.equal(true);
    expect(isBetween([], [], to), 'a folder that was just made').to.equal(true);
    expect(isBetween([file('a'), file('b', 'mine')], from, to)).to.equal(false);
    expect(isBetween([file('a'), file('mine')], from, to)).to.equal(false);
  });
});
