import { fileURLToPath } from 'node:url';
import { definePlugin } from '../../../../kernel/index.ts';
import { badgeRoutes } from '../../../../plugins/ledger/badge/routes.ts';
import { certificates, type Certificates } from '../../../../plugins/ledger/certificate/certificates.ts';
import { verifyCommand } from '../../../../plugins/ledger/certificate/commands/verify.ts';
import { getCertificate } from '../../../../plugins/ledger/commands/show.ts';
import {
  reputation,
  type ListingChange,
  type OrbReputation,
  type Reputation,
  type SnapshotRef,
  type StandingChanged,
} from '../../../../plugins/ledger/contract.ts';
import { certificateRegister } from '../../../../plugins/ledger/certificate/format/report.ts';
import { problems } from '../../../../plugins/ledger/problems.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { createTestSigner, origin, type TestSigner } from './signer.ts';
import { tiers, type Tier } from '../../../../plugins/ledger/shapes.ts';

/** An Orb of the shipped catalog. */
export const orb = 'notify.email@1.0.0';
/** 00:10 of the day on which these tests begin. */
export const begin = Date.UTC(2026, 10, 21, 0, 10);
const day = 86_400_000;

/** A platform whose ledger says what a test wants: certificates and badges are real, and so are store and HTTP. */
export interface World {
  readonly platform: TestPlatform;
  readonly signer: TestSigner;
  readonly certificates: Certificates;
  /** Says how an Orb stands from now on. */
  stands(changed: Partial<OrbReputation>, orbId?: string): void;
  /** Takes back that a tier returns after the suspension. */
  loses(orbId?: string): void;
  /** The ledger has no snapshot of the Orb any more. */
  forgets(orbId?: string): void;
  /** The ledger cannot read the log, or can again. */
  unsettled(unsettled: boolean): void;
  /** Gives an Orb a tier. */
  holds(tier: Tier, orbId?: string): void;
  lists(state: ListingChange['state'] | undefined, orbId?: string): void;
  /** Takes the next snapshot: so many days pass, the log grows to `tree_size`. */
  snapshot(days?: number, treeSize?: number): Promise<void>;
  /** Tells that the standing changed, and waits until certificates follow. */
  standing(change: StandingChanged['change'], orbId?: string): Promise<void>;
  /** Lets time pass, and nothing else. */
  pass(days: number): void;
  /** Lets the log grow. */
  grows(treeSize: number): void;
  now(): number;
  /** What `GET …/certificate` answers. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  certificate(orbId?: string): Promise<any>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  get(path: string): Promise<any>;
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

/** What a world is started with. */
export interface WorldOptions {
  readonly publicUrl?: string;
  readonly days?: number;
  readonly maxAge?: number;
  /** A world that stopped, to start again in its home. */
  readonly after?: World;
  /** Does its work before the platform starts. */
  readonly first?: (world: Pick<World, 'holds' | 'stands' | 'lists' | 'pass'>) => void;
}

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;

/** A reputation with a score and no tier. */
export function initial(orbId: string, snapshot: SnapshotRef): OrbReputation {
  return {
    ...{ orb_id: orbId, status: 'scored', tier: 'none', tier_rank: 0, suspended: false, suspension_causes: [] },
    ...{ score: 95, score_milli: 95_100, limited_by: 'reliability', manifest_signed: true },
    components: [{ name: 'reliability', weight: 35, value_milli: 951, points_milli: 33_285 }],
    basis: {
      ...{ window_start: '2026-05-25', window_end: snapshot.day, runs_counted: 1234, effective_runs_milli: 875_700 },
      ...{ effective_callers_milli: 9_000, callers: 10, active_days: 60, last_run_day: snapshot.day },
      reliability_micro: 992_700,
    },
    ...{ tier_since: '2026-11-01', first_achieved: '2026-10-01', profile: 'multi-tenant' },
    next_tier: { tier: 'bronze', unmet: [{ gate: 'score', needed: '60', present: '12', detail: 'a score of 60' }] },
    ...{ snapshot, scoring_policy: snapshot.scoring_policy },
    ...{ usage: { runs_30d: 1, callers_30d: 1 }, incidents: { open: 0, debt_milli: 0 } },
  };
}

interface State {
  now: number;
  treeSize: number;
  unsettled: boolean;
  readonly orbs: Map<string, OrbReputation>;
  readonly listings: Map<string, ListingChange>;
  readonly signer: TestSigner;
}

const head = ({ treeSize }: State) => ({
  origin,
  tree_size: treeSize,
  root_hash: Buffer.alloc(32, 7).toString('base64'),
});

const states = new WeakMap<World, State>();

/** Starts a world. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const state: State = (options.after === undefined ? undefined : states.get(options.after)) ?? {
    ...{
      now: begin,
      treeSize: 100,
      unsettled: false,
      orbs: new Map(),
      listings: new Map(),
      signer: createTestSigner(),
    },
  };
  const listeners = {
    snapshot: new Set<(taken: SnapshotRef) => void>(),
    standing: new Set<(c: StandingChanged) => void>(),
  };
  const taken = (): SnapshotRef => ({
    day: new Date(state.now - day).toISOString().slice(0, 10),
    digest: digestOf('a'),
    logs: [head(state)],
    profile: 'multi-tenant',
    scoring_policy: { id: 'orb-score/1', digest: digestOf('b') },
  });
  const get = (orbId: string): OrbReputation => state.orbs.get(orbId) ?? initial(orbId, taken());
  const acts = {
    stands: (changed: Partial<OrbReputation>, orbId = orb) =>
      void state.orbs.set(orbId, { ...get(orbId), snapshot: taken(), ...changed }),
    loses(orbId = orb): void {
      const { suspended_tier: _, ...rest } = get(orbId);
      state.orbs.set(orbId, rest);
    },
    forgets(orbId = orb): void {
      const { snapshot: _, ...rest } = get(orbId);
      state.orbs.set(orbId, {
        ...rest,
        tier: 'none',
        tier_rank: 0,
        status: 'unscored',
        score: null,
        score_milli: null,
      });
    },
    holds: (tier: Tier, orbId = orb) => acts.stands({ tier, tier_rank: tiers.indexOf(tier) }, orbId),
    lists(listed: ListingChange['state'] | undefined, orbId = orb): void {
      if (listed === undefined) state.listings.delete(orbId);
      else
        state.listings.set(orbId, {
          ...{ orb_id: orbId, state: listed, published_at: '2026-11-01T00:00:00.000Z', manifest_signed: true },
          ...{ changed_at: '2026-11-01T00:00:00.000Z', receipt_id: 'rec_01M6B1YQ000000000000000009' },
        });
    },
    unsettled: (unsettled: boolean) => void (state.unsettled = unsettled),
    grows: (treeSize: number) => void (state.treeSize = treeSize),
    pass: (days: number) => void (state.now += days * day),
  };
  if (options.after === undefined) acts.lists('published');
  options.first?.(acts);
  const service = {
    get,
    orbs: () => [...state.orbs.keys()],
    versionOf: (name: string) =>
      name.includes('@') ? name : ([...state.listings.keys()].find((id) => id.startsWith(`${name}@`)) ?? name),
    listing: (orbId: string) => state.listings.get(orbId),
    manifest: (orbId: string) => ({ orb_id: orbId, digest: digestOf('c'), signed: true }),
    namespace: () => undefined,
    settled: () => (state.unsettled ? Promise.reject(new Error('the log cannot be read')) : Promise.resolve()),
    onSnapshot: (listener: (one: SnapshotRef) => void) => (
      listeners.snapshot.add(listener),
      () => listeners.snapshot.delete(listener)
    ),
    onStanding: (listener: (one: StandingChanged) => void) => (
      listeners.standing.add(listener),
      () => listeners.standing.delete(listener)
    ),
  };
  const made: { certificates?: Certificates } = {};
  const plugin = testLedger(service as unknown as Reputation, state, options, (one) => (made.certificates = one));
  const platform = await startPlatform({
    plugins: [plugin],
    clock: { now: () => state.now, monotonic: () => performance.now() },
    ...(options.publicUrl === undefined ? {} : { env: { ORB_PUBLIC_URL: options.publicUrl } }),
    ...(options.after === undefined ? {} : { home: options.after.platform.home }),
  });
  const { certificates: running } = made;
  if (running === undefined) throw new Error('the ledger of the test has not started');
  await running.settle();
  const read = async (path: string) => {
    const { body } = await platform.call('GET', path, undefined, null);
    return typeof body === 'string' ? (JSON.parse(body) as unknown) : (body as unknown);
  };
  const world: World = {
    ...acts,
    ...{ platform, signer: state.signer, certificates: running, now: () => state.now, get: read },
    certificate: (orbId = orb) => read(`/reputation/${orbId}/certificate`),
    async snapshot(days = 1, treeSize = state.treeSize) {
      state.now += days * day;
      state.treeSize = treeSize;
      for (const [orbId, one] of state.orbs) state.orbs.set(orbId, { ...one, snapshot: taken() });
      for (const listener of listeners.snapshot) listener(taken());
      await running.settle();
    },
    async standing(change, orbId = orb) {
      for (const listener of listeners.standing) listener({ orb_id: orbId, change });
      await running.settle();
    },
    stop: (how) => platform.stop(how),
  };
  states.set(world, state);
  return world;
}

function testLedger(service: Reputation, state: State, options: WorldOptions, made: (one: Certificates) => void) {
  return definePlugin({
    name: 'ledger',
    ids: ['crt'],
    provides: { reputation, certificateRegister },
    problems,
    // Named by the kind of fact that the marketplace declares too.
    scopes: { 'reputation:suspend': { title: 'Suspend Orbs', installation: true } },
    commands: [getCertificate, verifyCommand],
    // A file, which the writer thread can load too.
    store: fileURLToPath(new URL('./ledger-store.ts', import.meta.url)),
    start(scope) {
      const { signer, listings } = state;
      const one = certificates(scope, {
        ...{ reputation: service, signer, days: options.days ?? 30, onAppend: () => () => undefined },
        head: () => head(state),
        maySee: (orbId, { principal }) => listings.has(orbId) || (principal !== undefined && state.orbs.has(orbId)),
      });
      made(one);
      const badges = badgeRoutes({
        ...{ reputation: service, certificates: one.service, maxAge: options.maxAge ?? 300 },
        maySee: (orbId, { principal }) => listings.has(orbId) || (principal !== undefined && state.orbs.has(orbId)),
      });
      return {
        services: { reputation: service, certificateRegister: one.service },
        routes: [...one.routes, ...badges],
        stop: () => one.stop(),
      };
    },
  });
}
