import { expect } from 'chai';
import { gatheredLookup } from '../../../../plugins/runtime/journal/key-lookup.ts';
import type { KeyName, KeyRow } from '../../../../plugins/runtime/journal/store.ts';

interface Read {
  readonly keys: readonly string[];
  answer(stored: readonly KeyName[]): void;
  fail(error: Error): void;
}

const name = (key: string, principal = 'ada'): KeyName => ({ principal, method: 'POST', path: '/execute', key });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the lookup of keys in a database', () => {
  const reads: Read[] = [];
  // Only what the lookup reads of a row.
  const row = (one: KeyName) => ({ ...one, subject: `run of ${one.principal}, ${one.key}` }) as KeyRow;
  const find = gatheredLookup(
    (names) =>
      new Promise((resolve, reject) => {
        const keys = names.map(({ key }) => key);
        reads.push({ keys, answer: (stored) => resolve(stored.map(row)), fail: reject });
      }),
  );
  const taken = (): Read[] => reads.splice(0);
  beforeEach(() => reads.splice(0));

  it('is one read for all that are asked for in one turn, and answers each with its own', async () => {
    const found = Promise.all(['one', 'two', 'three', 'two'].map((key) => find(name(key))));
    expect(reads).to.deep.equal([]);
    await turn();
    const [read] = taken() as [Read];
    expect(read.keys).to.deep.equal(['one', 'two', 'three', 'two']);
    read.answer([name('two'), name('one')]);
    expect((await found).map((one) => one?.subject)).to.deep.equal([
      'run of ada, one',
      'run of ada, two',
      undefined,
      'run of ada, two',
    ]);
  });

  it('keeps callers apart that use the same key', async () => {
    const found = Promise.all([find(name('same', 'ada')), find(name('same', 'bob'))]);
    await turn();
    taken()[0]?.answer([name('same', 'bob')]);
    expect((await found).map((one) => one?.subject)).to.deep.equal([undefined, 'run of bob, same']);
  });

  it('gathers what is asked for while two reads are under way', async () => {
    const first = find(name('a'));
    await turn();
    const second = find(name('b'));
    await turn();
    const rest = Promise.all(['c', 'd'].map((key) => find(name(key))));
    await turn();
    const [a, b, ...none] = taken() as [Read, Read];
    expect(none).to.deep.equal([]);
    a.answer([name('a')]);
    expect((await first)?.subject).to.equal('run of ada, a');
    await turn();
    const [together] = taken() as [Read];
    expect(together.keys).to.deep.equal(['c', 'd']);
    together.answer([]);
    b.answer([]);
    expect([await second, ...(await rest)]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('fails for all that were read together, and for nobody after them', async () => {
    const found = Promise.allSettled(['x', 'y'].map((key) => find(name(key))));
    await turn();
    taken()[0]?.fail(new Error('away'));
    for (const one of await found) expect(one).to.include({ status: 'rejected' });
    const next = find(name('x'));
    await turn();
    taken()[0]?.answer([name('x')]);
    expect((await next)?.subject).to.equal('run of ada, x');
  });
});
