import { expect } from 'chai';
import { rejection } from '../../helpers/stores/open.ts';
import { given } from '../../../kernel/index.ts';
import { newOrb } from '../../../plugins/ledger/projection/orb.ts';
import type { Changes } from '../../../plugins/ledger/projection/state.ts';
import type { SnapshotOrb } from '../../../plugins/ledger/projection/snapshot.ts';
import type { Sums } from '../../../plugins/ledger/projection/tallies.ts';
import type { KeptSnapshot } from '../../../plugins/ledger/tables/reads.ts';
import ledgerStore from '../../../plugins/ledger/store.ts';
import { openInMemory, type MemoryStore } from '../../helpers/stores/memory.ts';

const orb = 'a.b@1.0.0';
const other = 'a.c@1.0.0';
const origin = 'log.example/1';
const nothing: Changes = {
  ...{ orbs: [], incidents: [], namespaces: [], refused: [], events: [] },
  ...{ deciders: [], revoked: [], waiting: [], arrived: [] },
};

describe('the store of the ledger', () => {
  let store: MemoryStore<ReturnType<typeof ledgerStore.write>['operations'], ReturnType<typeof ledgerStore.read>>;
  beforeEach(async () => {
    store = openInMemory(ledgerStore);
  });
  afterEach(() => store.driver.close());

  const add = async (sums: Partial<Sums>, changes: Partial<Changes> = {}): Promise<void> => {
    const from = store.reads.cursors().rows[0]?.index;
    const move = { origin, index: (from ?? -1) + 1, newest: 'rec_1', first: null, ...given({ from }) };
    const all = { callerDays: [], minutes: [], days: [], ...sums };
    await store.operations.advance({ moves: [move], sums: all, changes: { ...nothing, ...changes } });
  };
  const callerDay = (day: number, caller: string, more: object = {}) => ({
    ...{ orb_id: orb, day, caller, ok: 1, fault: 2, broken: 3, fast: 4, slow: 5 },
    ...more,
  });
  const minute = (at: number, provider: string, more: object = {}) => ({
    ...{ orb_id: orb, minute: at, provider, n: 3, fault: 1 },
    ...more,
  });
  const snapshot = (day: string, more: object = {}) =>
    ({ day, digest: `sha256:${day}`, logs: [], ...more }) as unknown as KeptSnapshot;
  const take = (day: string, orbs: readonly string[] = [], more: object = {}, oldest = 0): null =>
    store.operations.takeSnapshot({
      snapshot: snapshot(day, more),
      orbs: orbs.map((orb_id) => ({ orb_id, tier: day }) as unknown as SnapshotOrb),
      changes: { ...nothing, orbs: orbs.map(newOrb) },
      oldest_minute: oldest,
    });

  it('moves each shard on from where a batch begins alone: another place is refused, and the batch with it', async () => {
    const sums = { callerDays: [], minutes: [], days: [] };
    const move = (of: string, from: number | undefined, index: number) => ({
      ...{ origin: of, index, newest: `rec_${index}`, first: null },
      ...given({ from }),
    });
    const advance = (...moves: ReturnType<typeof move>[]) =>
      store.operations.advance({ moves, sums, changes: nothing });
    const refused = async (from: number | undefined, index: number): Promise<string> =>
      String(await rejection(advance(move(origin, from, index))));
    expect(await refused(0, 1), 'it is before the first').to.match(/not at the position where the batch starts/);
    await advance(move(origin, undefined, 4));
    for (const from of [undefined, 3])
      expect(await refused(from, 5)).to.match(/not at the position where the batch starts/);
    await advance(move('log.example/0', undefined, 2), move(origin, 4, 5));
    expect(store.reads.cursors().rows.map(({ index, origin: of }) => [of, index])).to.deep.equal([
      ['log.example/0', 2],
      [origin, 5],
    ]);
  });

  it('reads the one position of an older version until the first batch', async () => {
    store.driver.exec(`INSERT INTO ledger_cursor (id, origin, idx) VALUES (1, '${origin}', 7)`);
    expect(store.reads.cursors()).to.deep.equal({ rows: [], before: { origin, index: 7 } });
    await add({});
    expect(store.reads.cursors()).to.deep.equal({ rows: [{ origin, index: 0, newest: 'rec_1', first: null }] });
    expect(store.driver.prepare('SELECT * FROM ledger_cursor').all()).to.deep.equal([]);
  });

  it('adds each count of a caller up, per Orb, day and caller', async () => {
    await add({ callerDays: [callerDay(5, 'x'), callerDay(5, 'y')] });
    await add({ callerDays: [callerDay(5, 'x'), callerDay(5, 'x', { orb_id: other })] });
    const { orb_id: _, ...once } = callerDay(5, 'y');
    expect(store.reads.callerDays(orb, 5, 5)).to.deep.equal([
      { day: 5, caller: 'x', ok: 2, fault: 4, broken: 6, fast: 8, slow: 10 },
      once,
    ]);
  });

  it('adds the counts of a minute up, per Orb and provider', async () => {
    await add({ minutes: [minute(7, 'p'), minute(7, 'q')] });
    await add({ minutes: [minute(7, 'p'), minute(8, 'p'), minute(7, 'p', { orb_id: other })] });
    expect(store.reads.minutes(orb, 7, 8)).to.deep.equal([
      { provider: 'p', n: 9, fault: 3 },
      { provider: 'q', n: 3, fault: 1 },
    ]);
  });

  it('reads counts of days and minutes with both ends', async () => {
    for (const at of [4, 5, 6, 7, 8])
      await add({
        callerDays: [callerDay(at, 'x')],
        minutes: [minute(at, `p${at}`)],
        days: [{ orb_id: orb, day: at, name: 'sandbox', n: 1 }],
      });
    expect(store.reads.callerDays(orb, 5, 7).map(({ day }) => day)).to.deep.equal([5, 6, 7]);
    expect(store.reads.minutes(orb, 5, 7).map(({ provider }) => provider)).to.deep.equal(['p5', 'p6', 'p7']);
    expect(store.reads.dayCounts(orb, 5, 7).map(({ day }) => day)).to.deep.equal([5, 6, 7]);
  });

  it('sums the callers of a day up that count there, beside the counts of the excluded', async () => {
    const none = { ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 };
    await add({
      callerDays: [
        ...[callerDay(6, 'x'), callerDay(6, 'y', { fault: 0 }), callerDay(6, 'z', { ...none, broken: 9 })],
        ...[callerDay(7, 'x', none), callerDay(6, 'x', { orb_id: other })],
      ],
      days: [
        ...[
          { orb_id: orb, day: 6, name: 'sandbox' as const, n: 2 },
          { orb_id: orb, day: 6, name: 'self' as const, n: 1 },
        ],
        ...[
          { orb_id: orb, day: 5, name: 'sandbox' as const, n: 1 },
          { orb_id: other, day: 6, name: 'self' as const, n: 9 },
        ],
      ],
    });
    await add({ days: [{ orb_id: orb, day: 6, name: 'sandbox', n: 3 }] });
    expect(store.reads.dayCounts(orb, 0, 10)).to.deep.equal([
      { day: 5, callers: 0, ...none, others: { sandbox: 1 } },
      { day: 6, callers: 2, ok: 2, fault: 2, broken: 6, fast: 8, slow: 10, others: { sandbox: 5, self: 1 } },
    ]);
  });

  it('forgets with a snapshot the minutes before the oldest that is needed, which stays', async () => {
    await add({ minutes: [9, 10, 11].map((at) => minute(at, `p${at}`)) });
    take('2026-11-20', [], {}, 10);
    expect(store.reads.minutes(orb, 0, 20).map(({ provider }) => provider)).to.deep.equal(['p10', 'p11']);
  });

  it('keeps one snapshot a day, the first', () => {
    take('2026-11-20', [orb]);
    expect(() => take('2026-11-20', [], { digest: 'sha256:other' })).to.throw(/UNIQUE/);
    expect(store.reads.snapshot('2026-11-20')).to.deep.equal(snapshot('2026-11-20'));
    expect(store.reads.snapshot('2026-11-21')).to.equal(undefined);
    expect(store.reads.state().orbs, 'what it changed').to.deep.equal([newOrb(orb)]);
  });

  it('lists snapshots after a day, and finds the last', () => {
    const days = ['2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'];
    expect(store.reads.lastSnapshot()).to.equal(undefined);
    for (const day of [...days].reverse()) take(day);
    expect(store.reads.lastSnapshot()?.day).to.equal('2026-11-22');
    const after = (day: string, limit: number) => store.reads.snapshotsAfter(day, limit).map((one) => one.day);
    expect([after('', 9), after('2026-11-20', 9), after('2026-11-19', 1)]).to.deep.equal([
      ...[days, ['2026-11-21', '2026-11-22'], ['2026-11-20']],
    ]);
  });

  it('reads the rows of one snapshot by Orb, and those of one Orb by day with both ends', () => {
    for (const day of ['2026-11-22', '2026-11-19', '2026-11-21', '2026-11-20']) take(day, [other, orb]);
    expect(store.reads.snapshotOrbs('2026-11-20').map(({ orb_id, tier }) => [orb_id, tier])).to.deep.equal([
      [orb, '2026-11-20'],
      [other, '2026-11-20'],
    ]);
    const history = store.reads.history(orb, '2026-11-20', '2026-11-21');
    expect(history.map(({ day, digest, row }) => [day, digest, row.orb_id, row.tier])).to.deep.equal([
      ['2026-11-20', 'sha256:2026-11-20', orb, '2026-11-20'],
      ['2026-11-21', 'sha256:2026-11-21', orb, '2026-11-21'],
    ]);
  });

  it('names the days whose snapshot it computes otherwise', () => {
    take('2026-11-21', [], { recomputed: 'sha256:x' });
    take('2026-11-20');
    take('2026-11-19', [], { recomputed: 'sha256:x' });
    expect(store.reads.mismatches()).to.deep.equal(['2026-11-19', '2026-11-21']);
  });

  it('keeps the newest state of each document, and all events of an Orb in their order', async () => {
    const grant = { namespace: 'a' } as Changes['namespaces'][number];
    const refused = { origin, index: 1, receipt_id: 'rec_1', reason: 'unreadable' } as const;
    const incident = { incident_id: orb } as Changes['incidents'][number];
    const event = (orb_id: string, to: string) => ({ orb_id, to }) as unknown as Changes['events'][number];
    await add({}, { orbs: [newOrb(orb)], namespaces: [grant], events: [event(orb, 'z'), event(other, 'y')] });
    await add(
      {},
      {
        orbs: [{ ...newOrb(orb), signed: true }],
        incidents: [incident],
        refused: [refused],
        events: [event(orb, 'a')],
      },
    );
    const state = store.reads.state();
    expect(state.orbs).to.deep.equal([{ ...newOrb(orb), signed: true }]);
    expect(state.incidents).to.deep.equal([incident]);
    expect(state.namespaces).to.deep.equal([grant]);
    expect(state.refused).to.deep.equal([refused]);
    expect(store.reads.events(orb)).to.deep.equal([{ to: 'z' }, { to: 'a' }]);
  });

  it('keeps the first secret, and the last signature of an Orb', async () => {
    const [first, second] = [new Uint8Array([1]), new Uint8Array([2])];
    expect(await store.operations.ensureSecret({ sealed: first })).to.deep.equal(first);
    expect(await store.operations.ensureSecret({ sealed: second })).to.deep.equal(first);
    for (const [orb_id, envelope] of [
      [orb, '1'],
      [other, '2'],
      [orb, '3'],
    ] as const)
      store.operations.putSignature({ orb_id, envelope });
    expect([...store.reads.signatures()]).to.deep.equal([
      [orb, '3'],
      [other, '2'],
    ]);
  });
});
