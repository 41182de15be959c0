import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { firstIdAt, type CommandCall } from '../../kernel/index.ts';
import { demonstrationMark } from '../receipts/contract.ts';
import { orbs } from './cast.ts';
import { apiOf, type Api } from './client.ts';
import type { DemoHome } from './home.ts';
import { chanceOf } from './random.ts';
import { prices, secretFile, settingsOf } from './settings.ts';
import { makeKeys, manifestOf, signOrbs, type Stage } from './stage.ts';
import { SimulatedTime } from './time.ts';
import { openVendors } from './vendors.ts';

/** The server of a demonstration, and what its history is made with. */
export interface DemoServer {
  readonly stage: Stage;
  readonly url: string;
  close(): Promise<void>;
}

interface Wanted {
  readonly home: DemoHome;
  readonly begin: number;
  readonly end: number;
  readonly seed: number;
  /** 0: a free one. */
  readonly port: number;
}

/** Starts the server in its home, at the begin of its history; its vendors run in this process. */
export async function openServer(call: CommandCall, { home, begin, end, seed, port }: Wanted): Promise<DemoServer> {
  const time = new SimulatedTime(begin);
  time.hold();
  const vendors = await openVendors(time, seed);
  const url = `http://127.0.0.1:${port === 0 ? await freePort() : port}`;
  // Nothing of the caller's environment reaches the server, such as the address of a real store.
  const env = {
    ...{ ORB_HOME: home.path, ORB_LISTEN: new URL(url).host, ORB_NODE: 'demo' },
    ORB_LOG_LEVEL: call.env['ORB_LOG_LEVEL'] ?? 'error',
  };
  const installation = firstIdAt('ins', begin).slice(0, -demonstrationMark.length) + demonstrationMark;
  const start = () => call.installation.simulate(env, { clock: time, installation });
  const adminKey = (): string => readFileSync(join(home.path, 'data/state/admin.key'), 'utf8').trim();
  writeHome(home, settingsOf(vendors));
  const manifestKeys = await signOrbs(call, home);
  let server = await start();
  try {
    const api = apiOf(url, adminKey());
    const keys = await makeKeys(api, end);
    const compiles = await canCompile(api);
    const office = [keys.ada.principal, keys.grace.principal, await principalOf(api)];
    // The people who approve runs are named in the settings by their ids.
    await server.stop();
    home.write('data/platform.json', settingsOf(vendors, office));
    server = await start();
    const made: Stage['made'] = new Map();
    const stage = { made, api, time, vendors, home, chance: chanceOf(seed), begin, end, keys, manifestKeys, compiles };
    const close = async (): Promise<void> => {
      time.release();
      await server.stop();
      await vendors.close();
    };
    return { stage, url, close };
  } catch (error) {
    time.release();
    await server.stop();
    await vendors.close();
    throw error;
  }
}

function writeHome(home: DemoHome, settings: object): void {
  home.write('data/platform.json', settings);
  home.write('data/prices.json', prices);
  home.write(secretFile, 'simulated');
  const orbiset = (id: string, admits: readonly string[], rest: object = {}): void =>
    home.write(`data/orbisets/${id}.json`, { id, tenant: 'default', orbs: admits, ...rest });
  orbiset('shop', ['shop.*', 'notify.*'], { labels: { team: 'shop' }, retention_days: { inputs: 7, outputs: 7 } });
  orbiset('assistants', ['llm.*', 'shop.stock@2.0.1', 'notify.email@1.0.0'], { labels: { team: 'agents' } });
  for (const orb of orbs.filter(({ like }) => like !== undefined))
    home.write(`data/orbs/${orb.orb_id}.json`, manifestOf(orb, home));
}

async function canCompile(api: Api): Promise<boolean> {
  const { compiler } = await api<{ readonly compiler: string }>('GET', '/policies/-/status');
  return compiler === 'wasm';
}

async function principalOf(api: Api): Promise<string> {
  return (await api<{ readonly principal: string }>('GET', '/keys/self')).principal;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
