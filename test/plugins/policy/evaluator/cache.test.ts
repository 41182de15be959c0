import { expect } from 'chai';
import { createCache } from '../../../../plugins/policy/evaluator/cache.ts';
import type { ReadPaths } from '../../../../plugins/policy/contract.ts';
import type { Verdict } from '../../../../plugins/policy/evaluator/result.ts';

function keyOf(paths: ReadPaths['paths'], envelope: object): string | undefined {
  return createCache({ execute: { all: false, paths } }).keyOf('execute', envelope);
}

const verdict = (revision: string) => ({ revision }) as unknown as Verdict;

describe('the key of a question', () => {
  const each: ReadPaths['paths'] = [['context', 'providers', null, 'n']];
  const listed = (...values: readonly unknown[]) => ({
    context: { providers: values.map((n) => (n === undefined ? {} : { n })) },
  });
  const different: readonly (readonly [string, ReadPaths['paths'], object, object])[] = [
    ['[1, 2] from [12]', each, listed(1, 2), listed(12)],
    ['[1, 2] from [2, 1]', each, listed(1, 2), listed(2, 1)],
    ['a list from a longer one without the member', each, listed(1), listed(1, undefined)],
    ['an absent member from a null', each, listed(undefined), listed(null)],
    [
      'what stands where a list is expected from another',
      each,
      { context: { providers: 1 } },
      { context: { providers: 2 } },
    ],
    ['a list from one that is absent', each, listed(), { context: {} }],
    ['1 from "1"', [['subject', 'x']], { subject: { x: 1 } }, { subject: { x: '1' } }],
    [
      'one member from another of the same value',
      [
        ['subject', 'a'],
        ['subject', 'b'],
      ],
      { subject: { a: 'x' } },
      { subject: { b: 'x' } },
    ],
    [
      'two values from one that holds both',
      [
        ['subject', 'a'],
        ['subject', 'b'],
      ],
      { subject: { a: 1, b: 2 } },
      { subject: { a: 12 } },
    ],
    ['a member of all from none', [['subject', 'toString']], { subject: { toString: 1 } }, { subject: {} }],
    [
      'a list of texts from their join',
      [['subject', 's']],
      { subject: { s: ['a', 'b'] } },
      { subject: { s: ['a,b'] } },
    ],
  ];
  for (const [name, paths, one, other] of different)
    it(`tells ${name}`, () => {
      expect(keyOf(paths, one)).to.be.a('string');
      expect(keyOf(paths, one)).not.to.equal(keyOf(paths, other));
    });

  it('takes for absent what is no member of its own', () => {
    for (const name of ['toString', 'constructor', '__proto__'])
      expect(keyOf([['subject', name]], { subject: {} }), name).to.equal('execute\n');
    expect(keyOf([['subject', 'length']], { subject: [1] })).to.equal('execute\n');
  });

  it('is the same when all that is read is equal, whatever the order of members and the rest', () => {
    const paths: ReadPaths['paths'] = [['subject', 'x']];
    const one = { subject: { x: { a: 1, b: 2 }, y: 1 }, resource: { id: 'a' } };
    const other = { subject: { y: 2, x: { b: 2, a: 1 } }, resource: { id: 'b' } };
    expect(keyOf(paths, one)).to.equal(keyOf(paths, other));
  });

  it('names its entrypoint; one that is not known, or may read all, has none', () => {
    const read = { all: false, paths: [['subject', 'x']] };
    const cache = createCache({ execute: read, swap: read, publish: { all: true, paths: [] } });
    const envelope = { subject: { x: 1 } };
    expect(cache.keyOf('execute', envelope)).not.to.equal(cache.keyOf('swap', envelope));
    expect([cache.keyOf('publish', envelope), cache.keyOf('other', envelope)]).to.deep.equal([undefined, undefined]);
  });

  it('is read once of a frozen member, and each time of one that may change', () => {
    const cache = createCache({ execute: { all: false, paths: [['subject', 'x']] } });
    const subject = { x: 1 };
    const before = cache.keyOf('execute', { subject });
    subject.x = 2;
    expect(cache.keyOf('execute', { subject })).not.to.equal(before);
    let reads = 0;
    const frozen = Object.freeze({
      get x() {
        return (reads += 1);
      },
    });
    expect(cache.keyOf('execute', { subject: frozen })).to.equal(cache.keyOf('execute', { subject: frozen }));
    expect(reads).to.equal(1);
  });

  it('is not read of inputs that are too long for it, when they are read whole', () => {
    const read = (paths: ReadPaths['paths'], inputs_bytes: number) => {
      let reads = 0;
      const context = {
        inputs_bytes,
        get inputs() {
          reads += 1;
          return {};
        },
        other: 1,
      };
      return [keyOf(paths, { context, subject: { inputs: 1 } }) !== undefined, reads > 0];
    };
    for (const whole of [['context', 'inputs'], ['context']]) {
      expect(read([whole], 4 * 4096), whole.join()).to.deep.equal([true, true]);
      expect(read([whole], 4 * 4096 + 1), whole.join()).to.deep.equal([false, false]);
    }
    for (const part of [
      ['context', 'inputs', 'text'],
      ['context', 'other'],
      ['subject', 'inputs'],
    ])
      expect(read([part], 4 * 4096 + 1)[0], part.join()).to.equal(true);
  });

  it('is of values that are no object as well', () => {
    const of = (subject: unknown) => keyOf([['subject', 'x']], { subject });
    for (const subject of [undefined, null, 'text', 5, ['x']]) expect(of(subject)).to.equal('execute\n');
    const value = (x: unknown) => of({ x });
    expect([value(null), value(5), value('a'), value(true)]).to.deep.equal(
      ['null', '5', '"a"', 'true'].map((text) => `execute\n${text}`),
    );
    expect(value([{ b: 1, a: 2 }])).to.equal('execute\n[{"a":2,"b":1}]');
  });

  it('has 4,096 characters at most', () => {
    const of = (length: number) => keyOf([['subject', 'x']], { subject: { x: 'a'.repeat(length) } });
    const longest = 4096 - 'execute\n""'.length;
    expect(of(longest)).to.have.length(4096);
    expect(of(longest + 1)).to.equal(undefined);
  });
});

describe('the verdicts of a revision', () => {
  const full = () => {
    const cache = createCache({});
    for (let index = 0; index < 10_000; index += 1) cache.set(String(index), verdict(String(index)));
    return cache;
  };

  it('are found by their own key', () => {
    expect(full().get('77')).to.deep.equal(verdict('77'));
    expect(full().get('x')).to.equal(undefined);
  });

  it('leave by least recent use', () => {
    const cache = full();
    cache.get('0');
    cache.set('new', verdict('new'));
    expect([cache.size, cache.get('0')?.revision, cache.get('1')]).to.deep.equal([10_000, '0', undefined]);
  });
});
