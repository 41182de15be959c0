import { expect } from 'chai';
import alertsStore, { type Finding } from '../../../plugins/alerts/store.ts';
import { openInMemory } from '../../helpers/stores/memory.ts';

const cause = 'policy_faulty';

describe('what nodes have found', () => {
  const open = () => {
    const { operations, reads } = openInMemory(alertsStore);
    const see = (node: string, now: number, ...findings: readonly Finding[]) =>
      operations.observe({ source: 'folder', node, findings, now });
    const told = () => reads.due(cause, 0, 1_000, 1_000, 1_000, 9).map(({ pending, since }) => ({ pending, since }));
    return { reads, see, told };
  };
  const found = (state: string | null): Finding => {
    const told = { subject: 'folder', title: 'The folder', detail: String(state), path: '/policies', providers: [] };
    return { id: 'one', state, event: { cause, ...told } };
  };

  it('is kept of each node until that node finds it over', async () => {
    const { reads, see } = open();
    await see('a', 1, found('bad'));
    await see('b', 2, found('bad'));
    expect(reads.states('folder', 'a')).to.deep.equal([{ id: 'one', state: 'bad' }]);
    await see('a', 3, found(null));
    expect([reads.states('folder', 'a'), reads.states('folder', 'b')]).to.deep.equal([
      [],
      [{ id: 'one', state: 'bad' }],
    ]);
  });

  it('begins with the first node and ends with the last, and the same again is no news', async () => {
    const { see, told } = open();
    await see('a', 1, found('bad'));
    await see('a', 2, found('bad'));
    await see('b', 3, found('bad'));
    expect(told()).to.deep.equal([{ pending: 1, since: 1 }]);
    await see('a', 4, found(null));
    expect(told()).to.deep.equal([{ pending: 1, since: 1 }]);
    await see('b', 5, found(null));
    expect(told()).to.deep.equal([{ pending: 2, since: 1 }]);
  });
});
