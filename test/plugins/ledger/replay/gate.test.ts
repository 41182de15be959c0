import { expect } from 'chai';
import { Gate } from '../../../../plugins/ledger/replay/gate.ts';

const prefix = [
  { origin: 'a', tree_size: 2 },
  { origin: 'b', tree_size: 0 },
  { origin: 'c', tree_size: 1 },
];
/** What a gate passes on, of items named `<origin><index>`. */
function pass(names: readonly string[], gate = new Gate(prefix)) {
  const passed = names.map((name) =>
    gate
      .take({ origin: name.charAt(0), index: Number(name.slice(1)) })
      .map(({ origin, index }) => `${origin}${index}`)
      .join(' '),
  );
  const { missing } = gate;
  return [passed, missing === undefined ? undefined : `${missing.origin}${missing.index}`];
}

describe('the order of the log', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[], string | undefined])[] = [
    ['is that in which it came', ['a0', 'a1', 'c0'], ['a0', 'a1', 'c0'], undefined],
    ['is restored within a shard', ['c0', 'a1', 'a0'], ['c0', '', 'a0 a1'], undefined],
    ['passes each on once', ['a0', 'a0', 'a1', 'a0', 'c0', 'a1', 'c0'], ['a0', '', 'a1', '', 'c0', '', ''], undefined],
    ['waits with one that came twice', ['a1', 'a1', 'a0'], ['', '', 'a0 a1'], 'c0'],
    ['leaves out what lies outside', ['a2', 'b0', 'd0', 'c1', 'a0'], ['', '', '', '', 'a0'], 'a1'],
    ['misses the first', [], [], 'a0'],
    ['misses one of the next shard', ['a0', 'a1'], ['a0', 'a1'], 'c0'],
  ];
  for (const [name, given, passed, missing] of rows)
    it(name, () => expect(pass(given)).to.deep.equal([passed, missing]));

  it('passes on a prefix first, and then what waited for its end', () => {
    const item = (name: string) => ({ origin: name.charAt(0), index: Number(name.slice(1)) });
    const first = [
      { origin: 'a', tree_size: 1 },
      { origin: 'c', tree_size: 1 },
    ];
    const gate = new Gate(prefix, first);
    expect([gate.take(item('a1')), gate.take(item('a0'))]).to.deep.equal([[], [item('a0')]]);
    expect([gate.isFirstOver, gate.take(item('c0')), gate.isFirstOver]).to.deep.equal([false, [item('c0')], true]);
    expect([gate.goOn(undefined), gate.missing]).to.deep.equal([[item('a1')], undefined]);
  });

  it('of no log misses nothing', () => {
    expect(pass(['a0'], new Gate([]))).to.deep.equal([[''], undefined]);
    expect(pass([], new Gate([{ origin: 'a', tree_size: 0 }]))).to.deep.equal([[], undefined]);
  });
});
