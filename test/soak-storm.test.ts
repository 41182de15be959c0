import { expect } from 'chai';
import { planFaults, randomFrom } from './soak/storm/plan.ts';
import { allowedProviders, type Swap } from './soak/storm/swaps.ts';

describe('the storm of faults', () => {
  it('has the same plan for the same seed, and all kinds in three minutes', () => {
    const plan = (seed: number) => planFaults(randomFrom(seed), 180_000, 3);
    expect(plan(7)).to.deep.equal(plan(7)).and.not.to.deep.equal(plan(8));
    const kinds = new Set(plan(7).map(({ kind }) => kind));
    expect([...kinds].sort()).to.deep.equal([
      ...['clock', 'database away', 'database restarted', 'failover'],
      ...['killed', 'network cut', 'stopped', 'switch-over'],
    ]);
  });

  const swap = (provider: string, sentAt: number, replaces: number, doneAt?: number): Swap => ({
    ...{ provider, sentAt, replaces, refused: false },
    ...(doneAt === undefined ? {} : { done: { at: doneAt, generation: replaces + 1 } }),
  });
  const rows: readonly (readonly [name: string, swaps: readonly Swap[], allowed: readonly string[]])[] = [
    ['none was asked for', [], ['mail']],
    ['one was answered before the call', [swap('spare', 10, 1, 20)], ['spare']],
    ['one was under way at the call', [swap('spare', 90, 1, 110)], ['mail', 'spare']],
    ['one was asked for after the mail came', [swap('spare', 210, 1, 220)], ['mail']],
    ['one had no answer', [swap('spare', 10, 1)], ['mail', 'spare']],
    [
      'one had no answer, and a later one replaced its outcome',
      [swap('spare', 10, 1), swap('mail', 20, 2, 30)],
      ['mail'],
    ],
    ['one was refused', [{ ...swap('spare', 10, 1), refused: true }], ['mail']],
  ];
  for (const [name, swaps, allowed] of rows)
    it(`lets a run that was called at 100, with its mail at 200, use ${allowed.join(' or ')}: ${name}`, () => {
      expect(allowedProviders(swaps, 100, 200)).to.have.members(allowed);
    });
});
