import { ConfigError } from '../../../kernel/index.ts';
import { startFaultServer, type FaultServer } from '../conformance/fault-server.ts';
import { connectionFaults, httpFaults } from '../conformance/network-faults.ts';
import type { ConformanceOptions } from '../conformance/options.ts';
import type { VerifySettings } from './settings.ts';

/** The local server that replaces the service, and its use by the suite. */
export interface Target {
  readonly options: Pick<ConformanceOptions, 'receiver' | 'faults' | 'hang'> & { readonly config: object };
  close(): Promise<void>;
}

type FaultTarget = NonNullable<VerifySettings['fault_target']>;

/** Replaces the service by the server. Throws ConfigError when a named setting does not exist. */
export async function openTarget(config: object, target: FaultTarget): Promise<Target> {
  const configAt = (port: number): object => addressed(config, target, port);
  configAt(1);
  const server = await startFaultServer(target.success ?? { status: 200 }, target.answers);
  const options = target.url === undefined ? overTcp(server, config, configAt) : overHttp(server, configAt);
  return { options, close: () => server.close() };
}

function overHttp(server: FaultServer, configAt: (port: number) => object): Target['options'] {
  const config = configAt(server.port);
  return {
    config,
    receiver: () => {
      const before = server.effects;
      return { effects: () => server.effects - before, quiet: () => server.quiet() };
    },
    faults: httpFaults(server, configAt),
    hang: () => {
      server.fault = 'hang';
      return { stuck: server.reached(), outcome: 'unknown', restore: () => void (server.fault = undefined) };
    },
  };
}

// The protocol is unknown, so the server can accept no call: only connections fail, and real calls go to the real
// service.
function overTcp(server: FaultServer, config: object, configAt: (port: number) => object): Target['options'] {
  const there = configAt(server.port);
  const faults = connectionFaults(server, configAt).map((fault) => ({
    ...fault,
    arrange: async () => (await fault.arrange()) ?? there,
  }));
  return {
    config,
    faults,
    hang: () => {
      server.fault = 'silent';
      const restore = (): void => void (server.fault = undefined);
      return { stuck: server.reached(), outcome: ['not_sent', 'unknown'], config: there, restore };
    },
  };
}

function addressed(config: object, { url, host, port }: FaultTarget, at: number): object {
  const copy = structuredClone(config);
  if (url !== undefined)
    set(copy, url, (before) => {
      const there = new URL(String(before));
      return `http://127.0.0.1:${at}${there.pathname === '/' ? '' : there.pathname}${there.search}`;
    });
  if (host !== undefined) set(copy, host, () => '127.0.0.1');
  if (port !== undefined) set(copy, port, () => at);
  return copy;
}

function set(config: object, pointer: string, change: (before: unknown) => unknown): void {
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let place: unknown = config;
  for (const name of names) place = (place as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (typeof place !== 'object' || place === null || !Object.hasOwn(place, last))
    throw new ConfigError([`verify.json/fault_target: the configuration has no ${pointer}`]);
  const record = place as Record<string, unknown>;
  try {
    record[last] = change(record[last]);
  } catch {
    throw new ConfigError([`verify.json/fault_target: ${pointer} is not a URL`]);
  }
}
