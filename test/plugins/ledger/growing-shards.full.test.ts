import { expect } from 'chai';
import type { SnapshotRef } from '../../../plugins/ledger/contract.ts';
import { readLine } from '../../../plugins/ledger/fact/line.ts';
import { common } from '../../../plugins/ledger/fact/prefix.ts';
import { replay } from '../../../plugins/ledger/replay/replay.ts';
import { generate } from './generator.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import {
  incidentPredicate,
  resolutionPredicate,
  runPredicate,
  standingPredicate,
  syntheticLog,
  timeOf,
  type SyntheticLog,
} from './synthetic-log.ts';

const orbId = 'notify.email@1.0.0';
const owner = { tenant: 'default', principal: 'prn_01M6B1YQ000000000000000001' };

/** What happens, in its order in time; a text names the fact that is resolved. */
interface Happening {
  readonly kind: string;
  readonly predicate: (receiptOf: (name: string) => string) => object;
  readonly name?: string;
  /** What begins something is read after what ends it, from the shard that is shown first. */
  readonly at?: 'first' | 'last';
}

function* dayOf(day: number): Generator<Happening> {
  const said = (kind: string, predicate: object): Happening => ({ kind, predicate: () => predicate });
  const standing = (change: string, more: object = {}) =>
    said('standing', standingPredicate(orbId, day, { change, ...more }));
  const namespace = (change: string) =>
    said('namespace', { namespace: 'notify', at: timeOf({ day }), facts: { change, owner } });
  if (day === 0) yield namespace('granted');
  if (day === 1) yield standing('published', { manifest_signed: true });
  for (const run of generate(1, 10, 4)) {
    const at = { ...run, day };
    const unknown = run.i === 7;
    const name = `${day} ${run.i}`;
    const predicate = runPredicate(at, unknown ? { outcome: 'unknown' } : { signed: day !== 8 || run.i < 30 });
    yield { kind: 'run', predicate: () => predicate, name };
    if (run.i === 20)
      yield {
        kind: 'resolution',
        predicate: (receiptOf) => resolutionPredicate(receiptOf(`${day} 7`), day, 'sent', 'orb_fault'),
        name: `${day} resolved`,
      };
    if (run.i === 30 && day % 2 === 0)
      yield {
        kind: 'resolution',
        predicate: (receiptOf) => resolutionPredicate(receiptOf(`${day} resolved`), day, 'not_sent', 'ok'),
      };
  }
  if (day === 3) yield { ...standing('suspended', { reason: 'a look' }), at: 'first' };
  if (day === 3) yield { ...standing('lifted', { reason: 'seen' }), at: 'last' };
  if (day === 5) yield { ...namespace('revoked'), at: 'first' };
  if (day === 5) yield { ...namespace('granted'), at: 'last' };
  if (day === 46) {
    yield { ...said('incident', incidentPredicate('inc_1', day)), at: 'first' };
    const over = { change: 'changed', change_number: 2, state: 'resolved', ends_at: timeOf({ day }), deliveries: [] };
    yield { ...said('incident', incidentPredicate('inc_1', day, over)), at: 'last' };
  }
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A log; its reader sees only as much of each shard as is shown. */
function veiled(log: SyntheticLog): { readonly log: SyntheticLog; show(random?: (below: number) => number): void } {
  let shown: Map<string, number> | undefined;
  const seen = () => log.heads().map((head) => ({ ...head, tree_size: shown?.get(head.origin) ?? head.tree_size }));
  return {
    log: {
      ...log,
      heads: seen,
      entriesAfter: (read, limit, until) => log.entriesAfter(read, limit, common(shown, until)),
      othersAfter: (read, limit, until) => log.othersAfter(read, limit, common(shown, until)),
    },
    show(random) {
      const before = shown;
      const upTo = (origin: string, size: number): number => {
        const least = before?.get(origin) ?? 0;
        return random === undefined ? size : least + random(size - least + 1);
      };
      const heads = log.heads();
      shown = new Map(heads.map(({ origin, tree_size: size }) => [origin, upTo(origin, size)]));
      const last = heads.at(-1);
      if (last !== undefined) shown.set(last.origin, last.tree_size);
    },
  };
}

interface Lived {
  readonly log: SyntheticLog;
  readonly ledger: OpenedLedger;
  readonly snapshots: readonly SnapshotRef[];
  rows(): unknown;
  /** The streaks and the tier that the next snapshot goes on from. */
  machine(): unknown;
}

/** Lets days pass over a log of some shards, which are read in any order before each snapshot. */
async function live(shards: number, days: number, seed: number): Promise<Lived> {
  const log = syntheticLog();
  for (let shard = 1; shard < shards; shard++) log.rotate();
  const { log: seen, show } = veiled(log);
  const ledger = await openLedger(seen);
  const random = seeded(seed);
  const receipts = new Map<string, string>();
  for (let day = 0; day < days; day++) {
    for (const { at, kind, name = '', predicate } of dayOf(day)) {
      const made = predicate((of) => receipts.get(of) ?? expect.fail(of));
      const shard = at === 'first' ? 0 : at === 'last' ? shards - 1 : random(shards);
      receipts.set(name, log.append(kind, made, 'k', shard));
    }
    for (let step = 0; step < 4; step++) {
      // The last shard to its end, and of the others as much as there happens to be.
      show(step === 0 ? () => 0 : random);
      await ledger.ledger.settled();
    }
    show();
    ledger.setDay(day + 1);
    await ledger.catchUp();
    show();
  }
  await ledger.ledger.settled();
  const snapshots = await ledger.reads.snapshotsAfter('', 1000);
  return {
    log,
    ledger,
    snapshots,
    rows: () => Promise.all(snapshots.map(async ({ day }) => await ledger.reads.snapshotOrbs(day))),
    machine: async () => (await ledger.reads.state()).orbs.find((orb) => orb.orb_id === orbId)?.machine,
  };
}

describe('a ledger over shards that grow at the same time', function () {
  this.timeout(240_000);

  for (const [shards, days, seed] of [
    [2, 48, 1],
    [3, 12, 2],
    [2, 9, 3],
    [3, 9, 4],
  ] as const)
    it(`gives the scores and tiers of one shard: ${shards} shards, ${days} days, order ${seed}`, async () => {
      const one = await live(1, days, seed);
      const many = await live(shards, days, seed);
      try {
        expect(many.log.entries).to.have.length(one.log.entries.length);
        expect(many.snapshots).to.have.length(days);
        expect(many.snapshots.every(({ logs }) => logs.length === shards)).to.equal(true);
        expect(await many.rows()).to.deep.equal(await one.rows());
        expect(await many.machine()).to.deep.equal(await one.machine());
        expect(many.ledger.service.get(orbId)).to.deep.include({ tier: one.ledger.service.get(orbId).tier });
        if (days === 48)
          expect((await one.ledger.service.tierEvents(orbId)).map(({ to }) => to)).to.include.members(['gold']);
      } finally {
        await one.ledger.close();
        await many.ledger.close();
      }
    });

  it('is replayed and folded again to the same digests, in whatever order its entries come', async () => {
    const { ledger, log, snapshots } = await live(3, 12, 5);
    const random = seeded(6);
    const lines = log.entries.map(readLine);
    const shuffled = lines.map((line) => ({ line, key: random(1_000_000) })).sort((a, b) => a.key - b.key);
    for (const given of [lines, [...lines].reverse(), shuffled.map(({ line }) => line)]) {
      const report = await replay({ logs: log.heads(), snapshots, lines: () => given });
      expect(report.differences).to.deep.equal([]);
      expect([...report.digests]).to.deep.equal(snapshots.map(({ day, digest }) => [day, digest]));
    }
    const again = await openLedger(log, { day: 12 });
    try {
      await again.catchUp();
      expect(await again.reads.snapshotsAfter('', 1000)).to.deep.equal(snapshots);
      expect(await again.reads.mismatches()).to.deep.equal([]);
    } finally {
      await again.close();
      await ledger.close();
    }
  });

  describe('a resolution that is read before its run', () => {
    let log: SyntheticLog;
    let ledger: OpenedLedger;
    beforeEach(async () => {
      log = syntheticLog();
      log.rotate();
      ledger = await openLedger(log);
    });
    afterEach(() => ledger.close());
    const counts = async () => {
      const { callers, fault, ok, others } = (await ledger.reads.dayCounts(orbId, 0, 100_000))[0] ?? {};
      return { callers, fault, ok, others };
    };
    /** A log in which the first shard is seen only after the second. */
    async function resolutionFirst(said: Parameters<typeof runPredicate>[1]): Promise<void> {
      const veil = new Map([[log.heads()[1]?.origin ?? '', Infinity]]);
      const { entriesAfter } = log;
      Object.assign(log, { entriesAfter: (read: never, limit: number) => entriesAfter(read, limit, veil) });
      const run = log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }, said), 'k', 0);
      const first = log.append('resolution', resolutionPredicate(run, 0, 'sent', 'orb_fault'), 'k', 1);
      log.append('resolution', resolutionPredicate(first, 0, 'not_sent', 'ok'), 'k', 1);
      await ledger.ledger.settled();
      expect((await counts()).ok).to.equal(undefined);
      Object.assign(log, { entriesAfter });
    }

    it('counts with it, and so do those that follow it', async () => {
      await resolutionFirst({ outcome: 'unknown' });
      await ledger.ledger.settled();
      expect(await counts()).to.deep.equal({ callers: 1, ok: 0, fault: 1, others: { resolved_ok: 0 } });
    });

    it('counts with it after a restart too', async () => {
      await resolutionFirst({ outcome: 'unknown' });
      await ledger.close({ keep: true });
      ledger = await openLedger(log, { stateDir: ledger.stateDir });
      await ledger.ledger.settled();
      expect(await counts()).to.deep.equal({ callers: 1, ok: 0, fault: 1, others: { resolved_ok: 0 } });
    });

    it('does not count when its run is refused', async () => {
      await resolutionFirst({ outcome: 'unknown', score_fact: { outcome_class: 'ok' } });
      await ledger.ledger.settled();
      expect((await counts()).ok).to.equal(undefined);
      expect([...ledger.ledger.projection.state.refused.values()].map(({ reason }) => reason)).to.deep.equal([
        ...['outcome_class', 'resolves_refused', 'resolves_refused'],
      ]);
    });
  });

  it('does not count what a revoked key signed in another shard, read before the revocation or after', async () => {
    for (const late of [false, true]) {
      const log = syntheticLog();
      log.rotate();
      const ledger = await openLedger(log);
      const { entriesAfter } = log;
      const [first, second] = log.heads().map(({ origin }) => origin);
      const run = (caller: number, kid: string, shard: number) =>
        log.append('run', runPredicate({ day: 0, second: 0, caller }), kid, shard);
      run(1, 'bad', 1);
      run(2, 'bad', 0);
      run(3, 'bad', 1);
      run(4, 'k', 1);
      if (late)
        Object.assign(log, {
          entriesAfter: (read: never, limit: number) => entriesAfter(read, limit, new Map([[first ?? '', 9]])),
        });
      await ledger.ledger.settled();
      const from = { origin: first, index: 0 };
      log.append(
        'key',
        { kid: 'bad', at: timeOf({ day: 0 }), facts: { role: 'receipt', change: 'revoked', from } },
        'k',
        0,
      );
      await ledger.ledger.settled();
      Object.assign(log, { entriesAfter });
      await ledger.ledger.settled();
      const [day] = await ledger.reads.dayCounts(orbId, 0, 100_000);
      expect([day?.callers, day?.ok], second).to.deep.equal([2, 2]);
      await ledger.close();
    }
  });
});
