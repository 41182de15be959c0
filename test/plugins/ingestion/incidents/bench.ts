import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { IncidentFact } from '../../../../plugins/ingestion/contract.ts';
import type { StandingFact } from '../../../../plugins/ledger/contract.ts';
import type { Fact, Operation } from '../../../../kernel/index.ts';
import type { WriteContext } from '../../../../kernel/store/contract.ts';
import { nobodyElse } from '../../../../kernel/store/peers.ts';
import { createIds } from '../../../../kernel/tools/id.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';
import { openWriting } from '../../../../kernel/store/sqlite/database.ts';
import { openIncidents } from '../../../../plugins/ingestion/incidents/index.ts';
import type { IncidentRow } from '../../../../plugins/ingestion/incidents/model/record.ts';
import type { AuditFinding, LostEntries } from '../../../../plugins/receipts/contract.ts';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { recordedSignals } from './recorded.ts';
import { alone } from '../../../helpers/stores/memory.ts';
import type {
  SourcePolicy,
  SourceSubjects,
  SourceView,
} from '../../../../plugins/ingestion/sources/settings/schema.ts';

/** Noon of the day on which the tests play. */
export const noon = Date.parse('2026-11-20T12:00:00.000Z');

/** One attested fact and its receipt. */
export interface Attested {
  readonly receipt_id: string;
  readonly fact: IncidentFact;
}

/** Incidents over real tables, with an attesting that commits at once and a clock that is set by hand. */
export interface Bench {
  readonly side: Awaited<ReturnType<typeof openIncidents>>;
  readonly reads: ReturnType<typeof ingestionStore.read>['incidents'];
  readonly facts: Attested[];
  /** What was told by `incidentChanged`, as `<change> <incident_id>`. */
  readonly told: string[];
  /** What was said of providers, as `<name> <health>`. */
  readonly providers: string[];
  /** Makes the next attestings throw: before the commit, or after it. */
  fail: 'before' | 'after' | undefined;
  /** Runs once, after the next commit of a receipt and before anyone hears of it. */
  during: (() => Promise<void>) | undefined;
  /** When deliveries came again, by id. */
  readonly seen: Map<string, string>;
  readonly finding: (finding: AuditFinding) => void;
  now(ms: number): void;
  /** Delivers signals of one source, as the pipeline does. */
  deliver(source: SourceView, signals: readonly Signal[], withdrawn?: readonly string[]): Promise<void>;
  /** Writes signals, and is killed before anyone is told. */
  write(source: SourceView, signals: readonly Signal[]): Promise<void>;
  /** Looks at what time alone changed. */
  tick(ms: number): Promise<void>;
  live(): readonly IncidentRow[];
  /** Forgets everything that is in memory, as a kill does. */
  restart(): Promise<Bench>;
  close(): Promise<void>;
}

/** Opens a bench of its own folder. */
export async function openBench(
  dir = mkdtempSync(join(tmpdir(), 'orb-incidents-')),
  start = noon,
  failing: readonly AuditFinding[] = [],
  lost: readonly LostEntries[] = [],
): Promise<Bench> {
  const database = openWriting(join(dir, 'store.db'));
  database.execute('PRAGMA synchronous = OFF');
  const fresh =
    database.prepare("SELECT name FROM sqlite_master WHERE name = 'ingestion_incidents'").get() === undefined;
  if (fresh) for (const migration of ingestionStore.migrations) database.execute(migration);
  const clock = { at: start, now: () => clock.at, monotonic: () => clock.at };
  const ids = createIds(clock);
  const { operations } = ingestionStore.write({ connection: database } as never);
  const commit = async (list: readonly Operation[]): Promise<unknown[]> => {
    database.execute('BEGIN');
    try {
      const verbs = operations as unknown as Record<string, (args: unknown, write: WriteContext) => unknown>;
      const results: unknown[] = [];
      for (const { name, args } of list) results.push(await verbs[name]?.(structuredClone(args), alone));
      database.execute('COMMIT');
      return results;
    } catch (error) {
      database.execute('ROLLBACK');
      throw error;
    }
  };
  // One write after the other, as the writer does.
  let turn: Promise<unknown> = Promise.resolve();
  const run = (list: readonly Operation[]): Promise<unknown[]> => {
    const mine = turn.then(() => commit(list));
    turn = mine.catch(() => undefined);
    return mine;
  };
  const reads = ingestionStore.read(database).incidents;
  const listeners = new Set<(finding: AuditFinding) => void>();
  const bench = { facts: [] as Attested[], told: [] as string[], providers: [] as string[] };
  const recorded = recordedSignals();
  const state: Pick<Bench, 'fail' | 'during'> = { fail: undefined, during: undefined };
  const platform = {
    async attest({ fact, operations: more }: Fact<IncidentFact | StandingFact>) {
      await Promise.resolve();
      if (state.fail === 'before') throw new Error('not committed');
      const receipt_id = ids('rec');
      await run(more(receipt_id));
      bench.facts.push({ receipt_id, fact: fact as IncidentFact });
      const { during } = state;
      state.during = undefined;
      await during?.();
      if (state.fail === 'after') throw new Error('committed, but nobody heard');
      return { receipt_id, signature_valid: true, timestamp: fact.at };
    },
    components: () => ({}),
  };
  const runtime = {
    findable: () => undefined,
    reportProvider: (name: string, health: string) => bench.providers.push(`${name} ${health}`),
    orbs: () => [],
    catalog: { orbs: new Map(['notify.email@1.0.0', 'notify.email@2.0.0'].map((id) => [id, {}])), orbisets: new Map() },
  };
  const silent = { tap: () => undefined };
  const hooks = { of: () => silent };
  const peers = nobodyElse({ name: 'a', incarnation: '0123456789abcdef' }, '0.0.0', 0);
  const store = { write: run, peers, shared: false };
  const calls = {
    tell: (_: unknown, { change, incident_id }: { change: string; incident_id: string }) =>
      bench.told.push(`${change} ${incident_id}`),
  };
  const parts = { calls, clock, hooks, ids, log: silentLog };
  const scope = { ...parts, platform, runtime, store, metrics: createMetrics() } as unknown;
  const side = await openIncidents({
    ...(scope as Parameters<typeof openIncidents>[0]),
    reads,
    lists: { ...reads, list: async (query) => reads.list(query), titles: async (most) => reads.titles(most) },
    signals: recorded.reads,
    auditor: {
      failing: () => failing,
      onFinding: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    },
    transparency: {
      ...{ verifies: () => false, positions: () => new Map() },
      heads: () => [{ origin: 'example/receipts/1', tree_size: 1, root_hash: '', checkpoint: '' }],
      lostBefore: () => lost,
      onAppend: () => () => undefined,
    },
    ledger: { incidentDebts: () => [] },
  });
  await side.begin();
  await side.ready();
  const deliver: Bench['deliver'] = async (source, signals, withdrawn = []) => {
    const batch = { source, signals, withdrawn };
    recorded.record(signals);
    await run(await side.sink.takeSignals(batch));
    recorded.withdraw(withdrawn);
    await side.sink.signalsTaken(batch);
  };
  return {
    ...bench,
    side,
    reads,
    seen: recorded.seen,
    get during() {
      return state.during;
    },
    set during(value) {
      state.during = value;
    },
    get fail() {
      return state.fail;
    },
    set fail(value) {
      state.fail = value;
    },
    finding: (finding) => listeners.forEach((listener) => listener(finding)),
    now: (ms) => void (clock.at = ms),
    deliver,
    async write(source, signals) {
      recorded.record(signals);
      await run(await side.sink.takeSignals({ source, signals, withdrawn: [] }));
    },
    async tick(ms) {
      clock.at = ms;
      await side.look();
    },
    live: () => reads.list({ limit: 1000 }).items.filter(({ retracted }) => !retracted),
    async restart() {
      await side.stop();
      database.close();
      const next = await openBench(dir, clock.at, failing, lost);
      return next;
    },
    async close() {
      await side.stop();
      database.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const policy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'warning',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: 60,
  reopen_window_s: 900,
};

/** Makes a source: bound to a provider unless subjects are given. */
export function sourceOf(
  name: string,
  more: Partial<SourcePolicy> = {},
  subjects?: Partial<SourceSubjects>,
): SourceView {
  return {
    source_id: `src_${ulidOf(name)}`,
    name,
    vendor: 'generic',
    subjects: {
      may_name: { orbs: [], providers: [], components: [] },
      aliases: [],
      ...(subjects ?? { binding: { kind: 'provider', id: 'smtp-main' } }),
    },
    policy: { ...policy, ...more },
  };
}

/** What a signal is made from; `at` in seconds after noon. */
export interface Said {
  readonly alert?: string;
  readonly at: number;
  readonly state?: Signal['state'];
  readonly severity?: Signal['severity'];
  readonly strength?: Signal['auth_strength'];
  readonly test?: boolean;
  readonly key?: string;
  readonly hints?: Signal['hints'];
  readonly labels?: Signal['labels'];
  readonly outsider_labels?: boolean;
}

/** Makes a signal of its own delivery. */
export function signalOf(source: SourceView, said: Said): Signal {
  const { alert = 'a', at, state = 'firing', severity = 'critical', strength = 'strong', test = false } = said;
  const key = said.key ?? `${alert}/${at}/${state}/${severity}/${strength}/${test}`;
  const id = ulidOf(`${source.source_id} ${key}`);
  const time = new Date(noon + at * 1000).toISOString();
  return {
    signal_id: `sig_${id}`,
    delivery_id: `dlv_${id}`,
    source_id: source.source_id,
    delivery_key: key,
    ordinal: 0,
    type: 'orb.signal.alert',
    vendor: source.vendor,
    vendor_type: 'test',
    occurred_at: time,
    received_at: time,
    state,
    severity,
    title: `${alert} is ${state}`,
    episode_key: alert,
    fingerprint: createHash('sha256').update(`${source.source_id} ${alert}`).digest('hex'),
    labels: said.labels ?? {},
    annotations: {},
    hints: said.hints ?? [],
    outsider_labels: said.outsider_labels ?? false,
    auth_strength: strength,
    auth_scheme: 'test',
    body_digest: `sha256:${createHash('sha256').update(key).digest('hex')}`,
    incomplete: false,
    normalizer_version: 1,
    test,
  };
}

function ulidOf(text: string): string {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const bytes = createHash('sha256').update(text).digest();
  return `0${[...bytes.subarray(0, 25)].map((byte) => alphabet[byte % 32]).join('')}`;
}

/** Opens a bench with one open incident. */
export async function opened(): Promise<{ bench: Bench; id: string }> {
  const bench = await openBench();
  const source = sourceOf('one');
  await bench.deliver(source, [signalOf(source, { at: 0 })]);
  return { bench, id: bench.live()[0]?.incident_id ?? '' };
}

/** Lists the changes that were attested, each with its number and the state after it. */
export const changes = (bench: Bench): readonly string[] =>
  bench.facts.map(({ fact }) => `${fact.facts.change} ${fact.facts.change_number} ${fact.facts.state}`);
