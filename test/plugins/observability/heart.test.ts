import { expect } from 'chai';
import type { Operation, Store } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { gapBefore, type Gap } from '../../../plugins/observability/status/gap.ts';
import { Heart } from '../../../plugins/observability/status/heartbeat.ts';

const minute = 60_000;
const grace = 10 * minute;
const last_at = Date.UTC(2026, 10, 21);

describe('the time without a heartbeat', () => {
  const table: readonly (readonly [name: string, silence: number, clean: boolean, kind: Gap['kind']])[] = [
    ['three beats are not told', 30_000, false, 'none'],
    ['a little more is an outage', 30_001, false, 'outage'],
    ['a clean restart in time was planned', 30_001, true, 'planned'],
    ['the last moment of grace is in time', grace, true, 'planned'],
    ['a clean restart that took too long is an outage', grace + 1, true, 'outage'],
    ['a clock that was set back makes no gap', -minute, false, 'none'],
  ];
  for (const [name, silence, clean, kind] of table)
    it(`${name}`, () => {
      const gap = gapBefore(last_at + silence, { last_at, clean }, grace);
      expect(gap.kind).to.equal(kind);
      if (gap.kind !== 'none') expect([gap.from, gap.to]).to.deep.equal([last_at, last_at + silence]);
    });

  it('is nothing before the first heartbeat of an installation', () => {
    expect(gapBefore(last_at, undefined, grace)).to.deep.equal({ kind: 'none' });
  });
});

describe('the heart', () => {
  const hearts: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const heart of hearts.splice(0)) await heart.stop();
  });
  const beating = (last: { first_at: number; last_at: number; clean: boolean } | undefined, now: number) => {
    const written: Operation[] = [];
    const state = { now, lived: 0, writeMs: 0, broken: false };
    const write = (operations: readonly Operation[]): Promise<unknown[]> => {
      if (state.broken) return Promise.reject(new Error('no disk'));
      written.push(...operations);
      state.lived += state.writeMs;
      return Promise.resolve(operations.map(() => undefined));
    };
    const heart = new Heart({
      store: { write } as unknown as Pick<Store, 'write'>,
      clock: { now: () => state.now, monotonic: () => state.lived },
      log: silentLog,
      last,
      graceMs: grace,
      everyMs: 10_000,
    });
    hearts.push(heart);
    return { heart, written, state };
  };
  const kept = (written: readonly Operation[]) => written.filter(({ name }) => name === 'keep').map(({ args }) => args);

  it('tells of all four services that nobody was there', async () => {
    const { heart, written } = beating({ first_at: 1, last_at, clean: false }, last_at + minute);
    await heart.start();
    expect(kept(written)).to.have.lengthOf(4);
    expect(kept(written)[0]).to.deep.equal({
      service: 'runtime',
      from: last_at,
      to: last_at + minute,
      status: 'major_outage',
    });
    expect(heart.observedSince).to.equal(1);
  });

  it('ends what was measured when the process was last there', async () => {
    const { heart, written } = beating({ first_at: 1, last_at, clean: false }, last_at + 5000);
    await heart.start();
    expect(kept(written)).to.deep.equal([]);
    const turned = written.filter(({ name }) => name === 'turn').map(({ args }) => args);
    expect(turned).to.have.lengthOf(4);
    expect(turned[0]).to.deep.equal({ service: 'runtime', at: last_at, status: 'operational' });
  });

  it('tells how long its last write took', async () => {
    const { heart, state } = beating(undefined, last_at);
    state.writeMs = 250;
    await heart.start();
    expect(heart.lastSeconds).to.equal(0.25);
  });

  it('knows nothing before its first beat', async () => {
    const { heart, written } = beating(undefined, last_at);
    expect(heart.observedSince).to.equal(undefined);
    await heart.start();
    expect(heart.observedSince).to.equal(last_at);
    expect(written.map(({ name }) => name)).to.deep.equal(['beat']);
  });

  it('beats a last time when it stops, and says that this was on purpose', async () => {
    const { heart, written } = beating(undefined, last_at);
    await heart.start();
    await heart.stop();
    expect(written.map(({ args }) => args)).to.deep.equal([
      { at: last_at, clean: false },
      { at: last_at, clean: true },
    ]);
  });

  it('does not beat when it is stopped before it began: the silence before stays to be told', async () => {
    const { heart, written } = beating({ first_at: 1, last_at, clean: false }, last_at + minute);
    await heart.stop();
    expect(written).to.deep.equal([]);
  });

  it('does not go back with a clock that is set back', async () => {
    const { heart, written } = beating({ first_at: 1, last_at, clean: true }, last_at - minute);
    await heart.start();
    expect(written.at(-1)?.args).to.deep.equal({ at: last_at, clean: false });
  });

  for (const [name, lived, status] of [
    ['a silence in its own life as an outage', minute, 'major_outage'],
    ['a clock that was set forward as nothing that counts', 1000, 'under_maintenance'],
  ] as const)
    it(`tells ${name}`, async () => {
      const { heart, written, state } = beating(undefined, last_at);
      await heart.start();
      state.now += minute;
      state.lived += lived;
      await heart.stop();
      expect(kept(written)).to.have.lengthOf(4);
      expect(kept(written)[0]).to.deep.include({ from: last_at, to: last_at + minute, status });
    });

  it('is not well when it cannot write, and does not throw when it stops', async () => {
    const { heart, state } = beating(undefined, last_at);
    await heart.start();
    expect(heart.health()).to.deep.equal({ health: 'up' });
    state.broken = true;
    await heart.stop();
    expect(heart.health().health).to.equal('degraded');
  });
});
