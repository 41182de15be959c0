import { expect } from 'chai';
import { createIds, firstIdAt, idsOf, prefixFaults } from '../../../kernel/tools/id.ts';

/** An identifier maker on a clock that shows the given times, one after the other. */
const idsAt = (...times: readonly number[]) => {
  let at = 0;
  const ids = createIds({ now: () => times[at++] ?? 0, monotonic: () => 0 });
  return times.map(() => ids('run'));
};

describe('identifiers', () => {
  it('bear a prefix of the kernel, or one that the plugin declares', () => {
    const ids = idsOf(createIds({ now: () => 5, monotonic: () => 0 }), { name: 'acme', ids: ['acm'] });
    expect([ids('acm').slice(0, 4), ids('run').slice(0, 4)]).to.deep.equal(['acm_', 'run_']);
    expect(() => ids('src')).to.throw('the plugin acme does not declare the prefix src');
  });

  it('have one owner for each prefix', () => {
    const plugins = [
      { name: 'one', ids: ['abc'] },
      { name: 'two', ids: ['abc', 'run', 'No'] },
    ];
    expect(prefixFaults(plugins)).to.deep.equal([
      'plugins.two: the prefix abc belongs to plugins.one',
      'plugins.two: the prefix run belongs to the kernel',
      'plugins.two: the prefix No is not two to eight small letters',
    ]);
  });

  it('hold the time as the ULID specification writes it', () => {
    // The example of the specification: 01ARZ3NDEK is 1469922850259.
    const [id] = idsAt(1_469_922_850_259);
    expect(id).to.match(/^run_01ARZ3NDEK[0-9A-HJKMNP-TV-Z]{16}$/);
    expect(idsAt(2 ** 48 - 1)[0]).to.match(/^run_7ZZZZZZZZZ/);
  });

  it('rise, within a millisecond by one, and while the clock goes back', () => {
    const made = idsAt(5, 5, 5.9, 4, 6);
    expect([...made].sort()).to.deep.equal(made);
    const value = (id = ''): bigint =>
      [...id.slice(14)].reduce(
        (sum, digit) => 32n * sum + BigInt('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit)),
        0n,
      );
    expect(made.slice(1, 4).map((id) => value(id) - value(made[0]))).to.deep.equal([1n, 2n, 3n]);
    expect(made.map((id) => id.slice(4, 14))).to.deep.equal([
      '0000000005',
      '0000000005',
      '0000000005',
      '0000000005',
      '0000000006',
    ]);
  });

  it('are another one each time, also in other makers', () => {
    const now = Date.now();
    const many = [...Array(2000).keys()].flatMap(() => idsAt(now));
    const one = createIds({ now: () => now, monotonic: () => 0 });
    for (let n = 0; n < 5000; n++) many.push(one('run'));
    expect(new Set(many).size).to.equal(7000);
  });

  // The ULID specification: 48 bits of time in ten letters of Crockford's base32.
  for (const [ms, time] of [
    [0, '0000000000'],
    [-1, '0000000000'],
    [31, '000000000Z'],
    [32, '0000000010'],
    [1_469_918_176_385, '01ARYZ6S41'],
    [2 ** 48 - 1, '7ZZZZZZZZZ'],
  ] as const)
    it(`of the time ${ms} begin with ${time}`, () => {
      expect(firstIdAt('dec', ms)).to.equal(`dec_${time}0000000000000000`);
    });
});
