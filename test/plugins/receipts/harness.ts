import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kernelScopes, type Scopes } from '../../../kernel/access.ts';
import { systemClock, type Clock } from '../../../kernel/tools/clock.ts';
import { createHooks, type Hooks } from '../../../kernel/hooks.ts';
import { given } from '../../../kernel/index.ts';
import { createIds } from '../../../kernel/tools/id.ts';
import type { Platform, HealthCheck, Metrics, Operation, Principal, Route } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { createMetrics } from '../../../kernel/tools/metrics.ts';
import { openStore, type OpenStore, type StoreOptions } from '../../../kernel/store/serving/store.ts';
import ingestion from '../../../plugins/ingestion/index.ts';
import ledger from '../../../plugins/ledger/index.ts';
import marketplace from '../../../plugins/marketplace/index.ts';
import { openShipped } from '../../helpers/stores/open-shipped.ts';
import { pages } from '../../helpers/written-page.ts';
import plugin from '../../../plugins/receipts/index.ts';
import type receiptsStore from '../../../plugins/receipts/store.ts';
import { vectorFact } from './sample.ts';
import type { Receipt, RunFact, AttestedRun } from '../../../plugins/runtime/contract.ts';

/** The plugin at work on a real store in a folder of its own. */
export interface Harness {
  readonly stateDir: string;
  readonly store: OpenStore;
  readonly hooks: Hooks;
  readonly health: HealthCheck;
  /** The services of the plugin, by the name under which it provides them. */
  readonly services: Readonly<Record<string, unknown>>;
  readonly metrics: Metrics;
  /** Attests a run with its operations through the hook. */
  attest(fact: RunFact, operations?: readonly Operation[]): Promise<Receipt>;
  /** Calls the handler of a route as the router would. */
  call(path: string, params: object, principal?: Partial<Principal>, query?: object, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

const ids = createIds(systemClock);

/** Makes a state dir that is gone after `remove`. */
export function temporaryDir(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'orb-receipts-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const owners = [ingestion, ledger, marketplace];
const scopes: Scopes = Object.assign({}, kernelScopes, ...[plugin, ...owners].map((owner) => owner.scopes));

const storePath = fileURLToPath(new URL('../../../plugins/receipts/store.ts', import.meta.url));

/** Opens the store of a state dir with the receipts module alone; `file`: what the writer loads in its place; `node`: ORB_NODE. */
export function openReceiptsStore(
  stateDir: string,
  clock: Clock = systemClock,
  file: string = storePath,
  node?: string,
  more: Partial<StoreOptions> = {},
): Promise<OpenStore> {
  const module = plugin.store as typeof receiptsStore as never;
  const open = file === storePath ? openShipped : openStore;
  return open({
    stateDir,
    modules: [{ module, file }],
    version: '0.4.0',
    clock,
    log: silentLog,
    ...given({ node }),
    ...more,
  });
}

// Receipts ask nothing of the kernel.
const noPlatform = Object.freeze({}) as Platform;

/** Starts the plugin on a state dir. */
export async function startReceipts(
  stateDir: string,
  clock: Clock = systemClock,
  file: string = storePath,
  node?: string,
  more: Partial<StoreOptions> = {},
): Promise<Harness> {
  const store = await openReceiptsStore(stateDir, clock, file, node, more);
  const hooks = createHooks({ failed: () => undefined });
  const checks: HealthCheck[] = [];
  const metrics = createMetrics();
  const scope = {
    config: { retention: { reasons_days: 30 } },
    hooks: hooks.taps({ deciding: false }),
    calls: hooks.callsOf({ name: 'receipts', hooks: [] }),
    deciding: false,
    services: { runtime: { concern: () => undefined }, pages },
    store,
    platform: noPlatform,
    scopes,
    facts: owners,
    brand: { name: 'Agent Orb Platform' },
    wholeUrl: undefined,
    publicUrl: 'http://127.0.0.1:8080',
    home: stateDir,
    stateDir,
    version: '0.4.0',
    health: (check: HealthCheck) => void checks.push(check),
    files: undefined,
    metrics,
    log: silentLog,
    clock,
    ids,
  };
  const started = await plugin.start(scope as never);
  void store.begin();
  const attest = async (fact: RunFact, operations: readonly Operation[] = []): Promise<Receipt> => {
    const receipt = await hooks.attest<AttestedRun>({ fact, operations: () => operations });
    if (receipt === undefined) throw new Error('nobody attested');
    return receipt;
  };
  return {
    stateDir,
    store,
    hooks,
    services: started.services ?? {},
    metrics,
    health: () => (checks[0] ?? (() => ({ health: 'unknown' as const })))(),
    attest,
    call: async (path, params, principal = {}, query = {}, body = undefined) =>
      handler(started.routes ?? [], path)({ params, principal, query, body }),
    async stop() {
      await started.stop?.();
      await store.close();
    },
  };
}

function handler(
  routes: readonly Route[],
  path: string,
): (call: Record<string, unknown> & { readonly query: object }) => unknown {
  const route = routes.find((candidate) => candidate.path === path);
  if (route === undefined) throw new Error(`no route ${path}`);
  // As the kernel does, for members that a query leaves out.
  const { properties = {} } = (route.query ?? {}) as { readonly properties?: Readonly<Record<string, object>> };
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default] as const] : [],
  );
  return ({ query, ...call }) =>
    route.handle({
      ...call,
      query: { ...Object.fromEntries(defaults), ...query },
      // The kernel's bound of answers that are held open: here it is never reached.
      hold: () => new AbortController().signal,
    } as never);
}

/** The vector run as a new one: an id of its own, an Orbiset of choice. */
export function newRun(orbisetId = 'default', change: Partial<RunFact> = {}): RunFact {
  return { ...vectorFact(), run_id: ids('run'), orbiset_id: orbisetId, ...change };
}
