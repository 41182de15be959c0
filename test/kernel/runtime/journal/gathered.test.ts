import { expect } from 'chai';
import { gatheredLookup, type KeyPlace } from '../../../../kernel/runtime/journal/gathered.ts';
import type { KeyName, KeyRow } from '../../../../kernel/runtime/journal/store.ts';

interface Read {
  readonly place: KeyPlace;
  readonly keys: readonly string[];
  answer(stored: readonly string[]): void;
  fail(error: Error): void;
}

const name = (key: string, principal = 'ada'): KeyName => ({ principal, method: 'POST', path: '/execute', key });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the lookup of keys in a database', () => {
  const reads: Read[] = [];
  // Only what the lookup reads of a row.
  const row = (key: string) => ({ key, subject: `run of ${key}` }) as KeyRow;
  const find = gatheredLookup(
    (place, keys) =>
      new Promise((resolve, reject) => {
        reads.push({ place, keys, answer: (stored) => resolve(stored.map(row)), fail: reject });
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
    read.answer(['two', 'one']);
    expect((await found).map((one) => one?.subject)).to.deep.equal([
      'run of one',
      'run of two',
      undefined,
      'run of two',
    ]);
  });

  it('keeps callers apart that use the same key', async () => {
    const found = Promise.all([find(name('same', 'ada')), find(name('same', 'bob'))]);
    await turn();
    const both = taken();
    expect(both.map(({ place }) => place.principal)).to.deep.equal(['ada', 'bob']);
    both.forEach(({ answer, place }) => answer(place.principal === 'bob' ? ['same'] : []));
    expect((await found).map((one) => one?.subject)).to.deep.equal([undefined, 'run of same']);
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
    a.answer(['a']);
    expect((await first)?.subject).to.equal('run of a');
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
    taken()[0]?.answer(['x']);
    expect((await next)?.subject).to.equal('run of x');
  });
});
