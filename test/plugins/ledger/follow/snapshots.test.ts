import { expect } from 'chai';
import type { Operation } from '../../../../kernel/index.ts';
import type { SnapshotLine } from '../../../../plugins/ledger/fact/line.ts';
import type { Follower } from '../../../../plugins/ledger/follow/follower.ts';
import type { FollowScope } from '../../../../plugins/ledger/follow/scope.ts';
import { dueDay, restoreSnapshot, takeSnapshot } from '../../../../plugins/ledger/follow/snapshots.ts';
import { newOrb } from '../../../../plugins/ledger/projection/orb.ts';
import { Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../../plugins/ledger/projection/state.ts';
import { Summing } from '../../../../plugins/ledger/projection/tallies.ts';
import type { LedgerReads } from '../../../../plugins/ledger/tables/reads.ts';
import { dayText } from '../../../../plugins/ledger/score/day.ts';
import { runPredicate, standingPredicate, startDay, syntheticLog } from '../synthetic-log.ts';

describe('the day whose snapshot is due', () => {
  /** At noon of a day after the first, with a log of one run on that first day; `last`: the day of the last snapshot. */
  const due = async (day: number, last?: number, first = 'run'): Promise<number[] | undefined> => {
    const log = syntheticLog();
    if (first === 'run') log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }));
    else log.append('standing', standingPredicate('a.b@1.0.0', 0, { change: 'published', manifest_signed: true }));
    const known = last === undefined ? undefined : { day: dayText(startDay + last) };
    // Nothing else is read here.
    const reads = { lastSnapshot: () => known } as unknown as LedgerReads;
    const found = await dueDay({
      clock: { now: () => (startDay + day) * 86_400_000 + 43_200_000, monotonic: () => 0 },
      reads,
      log,
    });
    return found === undefined ? undefined : [found.day - startDay, found.missed];
  };

  it('is that of the first entry, unless it has not ended', async () => {
    expect(await Promise.all([0, 1, 2, 100].map((day) => due(day)))).to.deep.equal([
      undefined,
      [0, 1],
      [0, 2],
      [0, 100],
    ]);
    expect(await Promise.all([0, 1].map((day) => due(day, undefined, 'standing')))).to.deep.equal([undefined, [0, 1]]);
  });

  it('is none that no window reaches from yesterday: the first snapshot of an old log is of the last 180 days', async () => {
    expect(await Promise.all([180, 181, 182, 1000].map((day) => due(day)))).to.deep.equal([
      [0, 180],
      [1, 180],
      [2, 180],
      [820, 180],
    ]);
  });

  it('is the one after the last, however long ago that was, so that no day is left out', async () => {
    expect(await Promise.all([due(1000, 3), due(5, 3), due(4, 3)])).to.deep.equal([[4, 996], [4, 1], undefined]);
  });
});

describe('a snapshot', () => {
  const orbId = 'a.b@1.0.0';
  const day = '2026-11-20';
  const logs = [{ origin: 'log.example/1', tree_size: 7, root_hash: 'x' }];

  /** An Orb that was suspended since the snapshot before; `told`: what was done, in order. */
  function world() {
    const told: string[] = [];
    const written: Operation[] = [];
    const tallies = { callerDays: () => [], minutesOf: () => [] };
    const state = stateOf({});
    state.orbs.set(orbId, { ...newOrb(orbId), suspended: true });
    const projection = new Projection(state, new Summing(), tallies);
    const follow = (given: object) => void told.push(`follow ${JSON.stringify(given)}`);
    const options = {
      log: { heads: () => logs.map((log) => ({ ...log, signature: 'not of the snapshot' })) },
      reads: tallies,
      clock: { now: () => 0 },
      profile: 'single-org',
      logger: { error: (_: object, text: string) => told.push(text) },
      store: { write: async (list: readonly Operation[]) => told.push(`write ${written.push(...list)}`) },
      platform: {
        async attest({ fact, operations }: { fact: { facts: object }; operations(id: string): readonly Operation[] }) {
          written.push(...operations('rec_1'));
          told.push(`attest ${JSON.stringify(Object.keys(fact.facts))}`);
        },
      },
      onSnapshot: (snapshot: object) => told.push(`kept ${JSON.stringify(Object.keys(snapshot))}`),
    };
    return {
      ...{ told, state, options: options as unknown as FollowScope },
      follower: { projection, follow } as unknown as Follower,
      kept: () => written.map(({ name, args }) => [name, args])[0] as [string, KeptArgs],
    };
  }
  interface KeptArgs {
    readonly snapshot: Readonly<Record<string, string>>;
    readonly changes: { readonly orbs: readonly object[]; readonly events: readonly object[] };
    readonly oldest_minute: number;
  }
  const members = ['day', 'digest', 'logs', 'profile', 'scoring_policy'];

  it('is taken where the log stands: followed to, attested with what is kept, and told of then', async () => {
    const { told, follower, options, kept } = world();
    await takeSnapshot(startDay, follower, options);
    expect(told).to.deep.equal([
      `follow ${JSON.stringify({ until: logs })}`,
      'attest ["change","day","logs","profile","scoring_policy","digest"]',
      `kept ${JSON.stringify(members)}`,
    ]);
    expect(kept()[0]).to.equal('takeSnapshot');
    expect(kept()[1]).to.deep.include({ oldest_minute: (startDay - 179) * 1440 });
  });

  it('is told of to nobody when it could not be attested', async () => {
    const { told, follower, options } = world();
    const platform = { attest: () => Promise.reject(new Error('the disk is full')) };
    const failure = await takeSnapshot(startDay, follower, { ...options, platform }).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'the disk is full');
    expect(told).to.have.length(1);
  });

  it('moves each Orb on, and keeps that with it', async () => {
    const { follower, options, state, kept } = world();
    await takeSnapshot(startDay, follower, options);
    const causes = state.orbs.get(orbId)?.causes;
    expect(causes).to.have.length(1);
    const { changes } = kept()[1];
    expect(changes.orbs).to.deep.equal([state.orbs.get(orbId)]);
    expect(changes.events).to.have.nested.property('[0].change', 'suspended');
  });

  it('that the log holds is computed again, kept and told of; another digest is an error and kept beside', async () => {
    const first = world();
    const line = { day, logs, profile: 'single-org', digest: 'sha256:other', scoring_policy: {} };
    await restoreSnapshot(line as unknown as SnapshotLine, first.follower, first.options);
    const { recomputed, digest } = first.kept()[1].snapshot;
    expect(digest).to.equal('sha256:other');
    expect(first.told).to.deep.equal([
      ...['a recomputed snapshot has a different digest', 'write 1'],
      `kept ${JSON.stringify([...members, 'recomputed'])}`,
    ]);
    const second = world();
    await restoreSnapshot({ ...line, digest: recomputed } as unknown as SnapshotLine, second.follower, second.options);
    expect(second.told).to.deep.equal(['write 1', `kept ${JSON.stringify(members)}`]);
  });
});
