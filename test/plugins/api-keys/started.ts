import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  operation,
  type Credential,
  type Log,
  type PluginScope,
  type Principal,
  type Route,
  type Scopes,
} from '../../../kernel/index.ts';
import type { HookTaps, Started } from '../../../kernel/surface.ts';
import { kernelScopes } from '../../../kernel/access.ts';
import { runtimeScopes } from '../../../plugins/runtime/facts/scopes.ts';
import { createIds } from '../../../kernel/tools/id.ts';
import { createMetrics } from '../../../kernel/tools/metrics.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import { openShipped } from '../../helpers/stores/open-shipped.ts';
import plugin from '../../../plugins/api-keys/index.ts';
import apiKeysStore from '../../../plugins/api-keys/store.ts';

const storeFile = fileURLToPath(new URL('../../../plugins/api-keys/store.ts', import.meta.url));

/** A clock that stands until it is moved. */
export interface HeldClock {
  now(): number;
  monotonic(): number;
  move(milliseconds: number): void;
}

/** Makes a clock that stands at noon of 2026-11-21 UTC. */
export function holdClock(): HeldClock {
  let at = Date.parse('2026-11-21T12:00:00.000Z');
  return { now: () => at, monotonic: () => at, move: (milliseconds) => void (at += milliseconds) };
}

/** Makes an empty folder. */
export function makeDir(): string {
  return mkdtempSync(join(tmpdir(), 'orb-keys-'));
}

/** Removes a folder. */
export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

/** Opens a real store with the tables of keys alone. */
export function openKeyStore(stateDir: string, clock: HeldClock): Promise<OpenStore> {
  const modules = [{ module: apiKeysStore, file: storeFile }];
  return openShipped({ stateDir, modules, version: '1.0.0', clock, log: silentLog });
}

// Scopes as an installation with this plugin and the runtime has them.
const scopes: Scopes = { ...kernelScopes, ...runtimeScopes, ...plugin.scopes };

/** The plugin, started on a real store as the kernel starts it. */
export interface StartedKeys {
  readonly stateDir: string;
  readonly clock: HeldClock;
  readonly store: OpenStore;
  ready(): Promise<void>;
  authenticate(token: string): Principal | undefined;
  readonly routes: readonly Route[];
  /** Stops the plugin, then the store. */
  stop(): Promise<void>;
}

/** Starts the plugin in a state dir. */
export async function startKeys(stateDir: string, clock: HeldClock, log: Log = silentLog): Promise<StartedKeys> {
  const store = await openKeyStore(stateDir, clock);
  const taps = new Map<string, (argument?: unknown) => unknown>();
  const tap = (hook: string) => ({
    tap: (_: string, listener: (argument?: never) => unknown) => void taps.set(hook, listener as never),
  });
  const hooks = {
    ready: tap('ready'),
    authenticate: tap('authenticate'),
    explainCredential: tap('explainCredential'),
  } as unknown as HookTaps;
  const scope = {
    config: {},
    hooks,
    services: {
      runtime: {
        recording: () => operation(apiKeysStore, 'touch', []),
        ...{ concern: () => undefined, findable: () => undefined },
      },
    },
    store,
    scopes,
    publicUrl: 'http://127.0.0.1',
    home: stateDir,
    stateDir,
    version: '1.0.0',
    health: () => undefined,
    platform: {},
    metrics: createMetrics(),
    log,
    clock,
    ids: createIds(clock),
  };
  const started: Started<Record<never, never>> = await plugin.start(
    scope as unknown as PluginScope<never, Record<never, never>>,
  );
  const authenticate = (token: string) =>
    taps.get('authenticate')?.({ token } satisfies Credential) as Principal | undefined;
  return {
    stateDir,
    clock,
    store,
    ready: async () => void (await taps.get('ready')?.()),
    authenticate,
    routes: started.routes ?? [],
    async stop() {
      await started.stop?.();
      await store.close();
    },
  };
}
