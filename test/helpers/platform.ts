import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from './shipped.ts';
import type { Clock } from '../../kernel/tools/clock.ts';
import { readConfig } from '../../kernel/config/config.ts';
import { createKernel, type Kernel } from '../../kernel/kernel.ts';
import { load } from '../../kernel/boot/loader.ts';
import { createLog, silentLog } from '../../kernel/tools/log.ts';
import { shippedCommands } from '../../kernel/main.ts';
import type { Plugin } from '../../kernel/plugin.ts';
import type { Adapter } from '../../kernel/provider/adapter.ts';
import { isBundled, sharesClasses } from './bundled-stores.ts';
import { withBundledThreads } from './bundled-threads.ts';
import { withCopies } from './copies.ts';
import { strictResponse } from './http.ts';
import { late, readsLate } from './late-reads.ts';
import { dropStore, storeOf } from './store-engine.ts';
import { giveTables } from './tables.ts';

/** What a test platform is started with. */
export interface PlatformOptions {
  /** Members of platform.json; the shipped one when absent. */
  readonly platform?: object;
  /** Files below `data/`, e.g. `orbs/x.y@1.0.0.json`. */
  readonly data?: Readonly<Record<string, object>>;
  /** Beside the shipped ones, or instead of the one of the same name. */
  readonly plugins?: readonly Plugin[];
  readonly adapters?: readonly Adapter[];
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** An existing home to start in again. */
  readonly home?: string;
  /** Makes the tables by all migrations, as an installation does, and not as a copy of a store that has them. */
  readonly firstStart?: boolean;
  /** Collects log lines. */
  readonly onLog?: (line: string) => void;
}

/** A platform of its own folder, listening on a free port of loopback. */
export interface TestPlatform {
  readonly url: string;
  readonly home: string;
  readonly stateDir: string;
  readonly adminKey: string;
  readonly kernel: Kernel;
  /** How often each tap was called since the last reset, by hook. */
  readonly taps: Map<string, number>;
  /** Sends a request with a key (default: the admin's) and reads the JSON answer. */
  call(method: string, path: string, body?: unknown, key?: string | null): Promise<Answer>;
  /** Makes a key and answers it. */
  key(body: object): Promise<string>;
  /** Stops the kernel; `keep`: the folder stays. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  readonly body: any;
}

/** Starts the real kernel with the shipped plugins in a temporary home. */
export async function startPlatform(options: PlatformOptions = {}): Promise<TestPlatform> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'orb-'));
  writeData(home, options);
  const store = await storeOf(home);
  const env = { ORB_HOME: home, ORB_LISTEN: '127.0.0.1:0', ORB_LOG_LEVEL: 'error', ...store, ...options.env };
  const given = (options.plugins ?? []).map(({ name }) => name);
  const everything = {
    ...builtin,
    plugins: [...builtin.plugins.filter(({ name }) => !given.includes(name)), ...(options.plugins ?? [])],
    adapters: [...builtin.adapters, ...(options.adapters ?? [])],
  };
  const read = async () => {
    const faults: string[] = [];
    const config = readConfig(env, home, faults);
    return { config, loaded: await load(config, everything, faults) };
  };
  const { config, loaded } = await read();
  const taps = new Map<string, number>();
  const log = options.onLog === undefined ? silentLog : createLog('debug', options.onLog);
  const create = () =>
    createKernel({
      config,
      loaded,
      commands: shippedCommands(),
      reread: read,
      log,
      checkResponse: strictResponse,
      ...(readsLate ? { throughStore: late } : {}),
      onTap: (hook) => taps.set(hook, (taps.get(hook) ?? 0) + 1),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  const stores = loaded.plugins.flatMap((plugin) => plugin.stores);
  const isFile = loaded.place.address === undefined;
  if (isFile && options.firstStart !== true && stores.every(({ file }) => isBundled(file)))
    giveTables(
      config,
      stores.map(({ module }) => module),
    );
  const hasOwnStore = stores.some(({ file }) => sharesClasses(file));
  const kernel = await (hasOwnStore ? create() : withBundledThreads(create));
  const url = kernel.listeners[0]?.url ?? '';
  const adminKey = readFileSync(join(config.stateDir, 'admin.key'), 'utf8').trim();
  const call: TestPlatform['call'] = (method, path, body, key = adminKey) => send(url + path, method, body, key);
  return {
    url,
    home,
    stateDir: config.stateDir,
    adminKey,
    kernel,
    taps,
    call,
    key: async (body) => String((await call('POST', '/keys', body)).body.key),
    async stop({ keep = false } = {}) {
      await kernel.stop();
      if (keep) return;
      await dropStore(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function writeData(home: string, { platform: given, data = {} }: PlatformOptions): void {
  const kept = given === undefined && existsSync(join(home, 'data/platform.json'));
  const platform = kept ? undefined : withCopies(given);
  const files = { ...(platform === undefined ? {} : { 'platform.json': platform }), ...data };
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, 'data', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify(content));
  }
}

async function send(url: string, method: string, body: unknown, key: string | null): Promise<Answer> {
  const headers: Record<string, string> = {};
  if (key !== null) headers['authorization'] = `Bearer ${key}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: json ? (JSON.parse(text) as unknown) : text };
}
