import Driver from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Operations, WriterScope } from '../../../kernel/index.ts';
import type { Writing } from '../../../kernel/surface.ts';
import { attestedEvent } from '../../../plugins/runtime/events/event.ts';
import { EventFeed } from '../../../plugins/runtime/events/feed.ts';
import { idOf, isWithin, positionOf } from '../../../plugins/runtime/events/position.ts';
import type { Recorded } from '../../../plugins/runtime/tables/events.ts';
import { steps, type Sample } from '../../../plugins/runtime/tables/counts.ts';
import runtimeStore from '../../../plugins/runtime/store.ts';
import { createSealer } from '../../../kernel/store/sealer.ts';
import { alone, connectionOf } from '../../helpers/stores/memory.ts';

/** One node: what the writer thread does with the store of the runtime, on a database that others use too. */
interface Node {
  readonly writing: Writing<Operations>;
  commit(...items: readonly object[]): void;
}

describe('nodes beside each other', () => {
  let driver: Driver.Database;
  let now: number;
  beforeEach(() => {
    driver = new Driver(':memory:');
    for (const migration of runtimeStore.migrations) driver.exec(migration);
    now = Date.UTC(2026, 10, 1);
  });
  afterEach(() => driver.close());

  const join = async (name: string, { shared = true, incarnation = name } = {}): Promise<Node> => {
    const scope = { connection: connectionOf(driver), now: () => now, shared, node: { name, incarnation } };
    const writing = runtimeStore.write(scope as Partial<WriterScope> as WriterScope) as Writing<Operations>;
    await writing.open?.(alone);
    return {
      writing,
      commit(...items) {
        void writing.beforeCommit?.(items);
        writing.committed?.();
      },
    };
  };
  const reads = () => runtimeStore.read(connectionOf(driver));
  let told = 0;
  const event = (run_id = 'run_1'): Recorded => ({
    ...{ event_id: `evt_${++told}`, type: 'run.queued', scope: 'runs:read', tenant: 't', data: { run_id } },
    at: new Date(now + told).toISOString(),
  });
  const names = (rows: readonly { readonly event_id: string }[]) => rows.map(({ event_id }) => event_id);
  const forget = ({ writing }: Node, most: number) =>
    writing.operations['forgetEvents']?.({ before: '9', most } as never, alone);

  describe('tell events, each in a series of its own', () => {
    it('that are read once each, whatever the order of their commits and the size of a page', async () => {
      const nodes = [await join('a'), await join('b'), await join('c')];
      const turns = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 3 })), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(turns, fc.integer({ min: 1, max: 4 }), async (commits, limit) => {
          const { eventsAfter, lastEvents } = reads();
          let position = lastEvents();
          const expected: string[] = [];
          for (const [node, count] of commits) {
            const events = Array.from({ length: count }, () => event());
            expected.push(...names(events));
            nodes[node]?.commit(...events);
          }
          const found: string[] = [];
          for (let rows = eventsAfter(position, lastEvents(), limit); rows.length > 0;) {
            found.push(...names(rows));
            for (const { series, number } of rows) position = { ...position, [series]: number };
            rows = eventsAfter(position, lastEvents(), limit);
          }
          // Times are those of the tellings here, so the order is theirs too.
          expect(found).to.deep.equal(expected);
          expect(position).to.deep.equal(lastEvents());
        }),
        { numRuns: 50 },
      );
    });

    it('whose numbers go on over a restart, also when all events are forgotten', async () => {
      const first = await join('a');
      await join('b');
      first.commit(event(), event());
      await forget(first, 100);
      expect(reads().lastEvents()).to.deep.equal({ 1: 2, 2: 0 });
      (await join('a')).commit(event());
      expect(reads().lastEvents()).to.deep.equal({ 1: 3, 2: 0 });
    });

    it('are told once each by a batch that is built again', async () => {
      const node = await join('a');
      void node.writing.beforeCommit?.([event()]);
      driver.exec('DELETE FROM runtime_events');
      await node.writing.reload?.();
      node.commit(event());
      expect(reads().lastEvents()).to.deep.equal({ 1: 1 });
    });

    it('and go on in the series of the time when there was one process', async () => {
      (await join('x', { shared: false })).commit(event());
      (await join('a')).commit(event());
      (await join('b')).commit(event());
      expect(reads().lastEvents()).to.deep.equal({ 1: 2, 2: 1 });
    });

    it('of one run, to which a stream goes back from each of them', async () => {
      const [a, b] = [await join('a'), await join('b')];
      a.commit(event('run_0'));
      b.commit(event('run_0'));
      const events = [event('run_9'), event('run_9'), event('run_9')];
      for (const [index, one] of events.entries()) (index % 2 === 0 ? a : b).commit(one, event('run_0'));
      const { eventsAfter, eventsOfRun, lastEvents } = reads();
      const feed = new EventFeed({
        log: {
          sizes: () => ({ s: 1 }),
          rows: () => Promise.resolve([]),
          place: () => ({ shard: 's', index: 0 }),
          onAppend: () => () => undefined,
        },
        reads: {
          lastEvents,
          eventsAfter: (...asked) => Promise.resolve(eventsAfter(...asked)),
          eventsOfRun: (...asked) => Promise.resolve(eventsOfRun(...asked)),
        },
      });
      const row = { shard: 's', index: 0, kind: 'run', status: 'completed', timestamp: '', scopes: [] };
      const end = attestedEvent({
        ...row,
        receipt_id: 'rec_1',
        run_id: 'run_9',
        tenant: 't',
        orbiset_id: '',
        orb_id: '',
      });
      const { start, found } = await feed.told('run_9', end, await feed.end());
      expect(found.map(({ event: one }) => one.event_id)).to.deep.equal([...names(events), 'rec_1']);
      const rest = async (from: typeof start) =>
        (await feed.read(from, await feed.end(), 100))
          .map(({ event: one }) => one)
          .filter((one) => one.run_id === 'run_9');
      expect(names(await rest(start))).to.deep.equal(names(events));
      for (const [index, { position }] of found.slice(0, 3).entries())
        expect(names(await rest(position))).to.deep.equal(names(events.slice(index + 1)));
    });

    it('at positions whose ids of before are read as they were', () => {
      const sealer = createSealer(Buffer.alloc(32), 'ins_1');
      const text = JSON.stringify({ log: { s: 3 }, sequence: 7, made: 5 });
      const old = Buffer.from(sealer.seal('events', Buffer.from(text.padEnd(96)))).toString('base64url');
      expect(positionOf(old, sealer)).to.deep.equal({ log: { s: 3 }, events: { 1: 7 }, made: 5 });
      const alike = Buffer.from(idOf({ log: { s: 3 }, events: { 1: 7 } }, 5, sealer), 'base64url');
      expect(Buffer.from(sealer.open('events', alike)).toString()).to.equal(text.padEnd(96));
      const position = { log: {}, events: { 1: 7, 3: 2 } };
      expect(positionOf(idOf(position, 5, sealer), sealer)).to.deep.equal({ ...position, made: 5 });
      expect(isWithin(position, { log: {}, events: { 1: 8, 3: 2 } })).to.equal(true);
      expect(isWithin(position, { log: {}, events: { 1: 8, 2: 9 } })).to.equal(false);
    });
  });

  describe('count in parts', () => {
    const sample = (ms: number): Sample => ({
      ...{ what: 'runs', tenant: 't', orbiset_id: 'o', orb_id: 'a.b@1.0.0', name: 'p', status: 'completed' },
      ...{ mode: 'live', at: new Date(now).toISOString(), ms },
    });
    const gather = async ({ writing }: Node, time: { from: number; to: number; own: boolean }) =>
      await writing.operations['gatherCounts']?.(time as never, alone);
    const size = (table: string) => Number(driver.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    const series = () => {
      const asked = { from: 0, to: 2 ** 40, step: steps.minute, what: 'runs', by: undefined } as const;
      const { listSeries } = reads();
      const [all, own] = [undefined, 't'].map((tenant) => listSeries({ ...asked, tenant }));
      expect(all).to.deep.equal(own);
      return all?.[0]?.points;
    };

    it('that are in each answer, before and after they are gathered', async () => {
      const [a, b] = [await join('a'), await join('b')];
      for (const ms of [1, 1, 20, 300]) (a.commit(sample(ms), sample(ms)), b.commit(sample(ms)));
      expect([size('runtime_counts'), size('runtime_count_parts')]).to.deep.equal([0, 8]);
      const before = series();
      expect(before?.[0]).to.include({ total: 12, mean_ms: 81 });
      await gather(a, { from: 0, to: now, own: true });
      expect([size('runtime_counts'), size('runtime_count_parts')]).to.deep.equal([3, 4]);
      expect(series()).to.deep.equal(before);
      await gather(b, { from: 0, to: now, own: true });
      expect([size('runtime_counts'), size('runtime_count_parts')]).to.deep.equal([3, 0]);
      expect(series()).to.deep.equal(before);
    });

    it('that an ended node left are gathered by another, when they are old', async () => {
      const [a, b] = [await join('a'), await join('b')];
      a.commit(sample(5));
      await gather(b, { from: 0, to: now - 1, own: false });
      expect(size('runtime_count_parts')).to.equal(1);
      now += 600_000;
      await gather(b, { from: 0, to: now - 300_000, own: false });
      expect([size('runtime_counts'), size('runtime_count_parts')]).to.deep.equal([1, 0]);
    });

    it('that two starts of a node make in one millisecond are both counted', async () => {
      (await join('a', { incarnation: 'one' })).commit(sample(5));
      (await join('a', { incarnation: 'two' })).commit(sample(5));
      expect(series()?.[0]?.total).to.equal(2);
    });

    it('not where one process has the store: it adds to the counts', async () => {
      (await join('a', { shared: false })).commit(sample(5));
      expect([size('runtime_counts'), size('runtime_count_parts')]).to.deep.equal([1, 0]);
    });
  });
});
