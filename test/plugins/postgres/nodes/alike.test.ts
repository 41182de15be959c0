import { expect } from 'chai';
import { differing, watchAlike } from '../../../../plugins/postgres/nodes/alike.ts';
import type { NodeView } from '../../../../kernel/store/peers.ts';
import { until } from '../../../helpers/until.ts';

/** Nodes that joined one after the other, as `<name><configuration>`; `-`: not known; a capital: it has ended. */
const nodes = (...all: readonly string[]): readonly NodeView[] =>
  all.map((text, index) => {
    const [name = '', config = ''] = text;
    const state = name === name.toLowerCase() ? 'live' : 'dead';
    const rest = { incarnation: name, serving: true, version: '1.0.0', lease_until: 0, behind: 0 };
    return { ...rest, name, state, joined_at: index, config: config === '-' ? '' : config };
  });

describe('nodes that must be configured alike', () => {
  for (const [what, given, expected] of [
    ['all are', ['a1', 'b1', 'c1'], []],
    ['one is not', ['a1', 'b2', 'c1'], ['b']],
    ['two that came later are not as the first', ['a1', 'b2', 'c2'], ['a']],
    ['of two the one that came later counts as the other', ['a1', 'b2'], ['b']],
    ['one has not said it yet', ['a1', 'b-'], []],
    ['one that has ended counts no more', ['A2', 'b1', 'C2', 'c1'], []],
  ] as const)
    it(`${what}: ${given.join(' ')}`, () => expect([...differing(nodes(...given))]).to.deep.equal(expected));

  it('are watched: the health names those that are not', async () => {
    const { check, stop } = watchAlike({ nodes: () => Promise.resolve(nodes('a1', 'b2', 'c1')) });
    const found = await until(check, ({ health }) => health === 'degraded', 'the look');
    stop();
    expect(found.reason).to.match(/^b: /);
  });
});
