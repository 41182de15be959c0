import { expect } from 'chai';
import { admitsOrb, admitsProvider, createOrbiset } from '../../../../plugins/runtime/catalog/orbiset.ts';

const manifest = (more: object = {}) => ({ id: 'a', tenant: 't', orbs: ['*'], ...more });
const placesOf = (more: object): string[] => {
  const faults: string[] = [];
  const made = createOrbiset(manifest(more), faults);
  expect(made === undefined).to.equal(faults.length > 0);
  return faults.map((fault) => fault.slice(0, fault.indexOf(':')));
};
const list = (count: number): string[] => Array.from({ length: count }, (_, at) => `a.b@${at}`);

describe('the manifest of an Orbiset', () => {
  for (const [what, more] of [
    ['64 letters in its id', { id: 'a'.repeat(64) }],
    ['no Orb', { orbs: [] }],
    ['1,000 patterns of Orbs', { orbs: list(1000) }],
    ['100 providers', { providers: Array.from({ length: 100 }, () => 'a') }],
    ['32 labels of 200 letters', { labels: Object.fromEntries(list(32).map((name) => [name, 'x'.repeat(200)])) }],
    ['a limit', { limits: { concurrency: 1, rate: { count: 1, window_s: 1 } } }],
    ['3,650 days', { retention_days: { inputs: 3650, outputs: 0 } }],
  ] as const)
    it(`may have ${what}`, () => {
      expect(placesOf(more)).to.deep.equal([]);
    });

  for (const [what, more, place] of [
    ['65 letters in its id', { id: 'a'.repeat(65) }, '/id'],
    ['a large letter in its id', { id: 'A' }, '/id'],
    ['an id that ends with a dash', { id: 'a-' }, '/id'],
    ['no tenant', { tenant: undefined }, '/tenant'],
    ['1,001 patterns of Orbs', { orbs: list(1001) }, '/orbs'],
    ['a pattern that is none', { orbs: ['a.*@1'] }, '/orbs/0'],
    ['101 providers', { providers: Array.from({ length: 101 }, () => 'a') }, '/providers'],
    ['33 labels', { labels: Object.fromEntries(list(33).map((name) => [name, 'x'])) }, '/labels'],
    ['a label of 201 letters', { labels: { a: 'x'.repeat(201) } }, '/labels/a'],
    ['3,651 days', { retention_days: { inputs: 3651 } }, '/retention_days/inputs'],
    ['days below 0', { retention_days: { outputs: -1 } }, '/retention_days/outputs'],
    ['a member that is none', { more: 1 }, '/more'],
  ] as const)
    it(`may not have ${what}, and says where`, () => {
      expect(placesOf(more)[0]).to.equal(place);
    });

  it('cannot be changed once it is made', () => {
    expect(createOrbiset(manifest(), [])).to.satisfy(Object.isFrozen);
  });
});

describe('an Orbiset', () => {
  const admits = (orbs: string[], id: string) => admitsOrb(createOrbiset(manifest({ orbs }), []) ?? expect.fail(), id);

  it('admits all Orbs, those of a namespace, or exactly one', () => {
    const id = 'mail.send@1.0.0';
    for (const pattern of ['*', 'mail.*', id]) expect(admits(['other.*', pattern], id), pattern).to.equal(true);
    for (const pattern of ['mai.*', 'mail.send@1.0.1', 'send.*'])
      expect(admits([pattern], id), pattern).to.equal(false);
    expect(admits([], id)).to.equal(false);
  });

  it('admits all providers, or those it names', () => {
    const of = (more: object) => createOrbiset(manifest(more), []) ?? expect.fail();
    expect(admitsProvider(of({}), 'a')).to.equal(true);
    expect([
      admitsProvider(of({ providers: ['a'] }), 'a'),
      admitsProvider(of({ providers: ['a'] }), 'b'),
    ]).to.deep.equal([...[true, false]]);
    expect(admitsProvider(of({ providers: [] }), 'a')).to.equal(false);
  });
});
