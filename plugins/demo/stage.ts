import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, timestamp, type CommandCall } from '../../kernel/index.ts';
import { callers, orbs, type CallerName, type DemoOrb, type Flow } from './cast.ts';
import type { Api } from './client.ts';
import type { DemoHome } from './home.ts';
import type { Chance } from './random.ts';
import type { SimulatedTime } from './time.ts';
import type { Vendors } from './vendors.ts';

/** A principal of the demonstration and its key. */
export interface CastKey {
  readonly key: string;
  readonly key_id: string;
  readonly principal: string;
}

/** All that the history is made with. */
export interface Stage {
  readonly api: Api;
  readonly time: SimulatedTime;
  readonly vendors: Vendors;
  readonly home: DemoHome;
  readonly chance: Chance;
  /** First and last moment of the history, milliseconds since the Unix epoch. */
  readonly begin: number;
  readonly end: number;
  readonly keys: Readonly<Record<CallerName, CastKey>>;
  /** Public keys of the namespaces. */
  readonly manifestKeys: ReadonlyMap<string, unknown>;
  /** How many calls of each flow were made. */
  readonly made: Map<Flow, number>;
  /** Whether the server can compile policies. */
  readonly compiles: boolean;
}

export const dayMs = 86_400_000;

/** Makes the principals and their keys, and one key that is revoked. */
export async function makeKeys(api: Api, end: number): Promise<Stage['keys']> {
  const made: [string, CastKey][] = [];
  for (const [name, caller] of Object.entries<(typeof callers)[CallerName] & { mode?: string; expiresIn?: number }>(
    callers,
  )) {
    const { expiresIn, mode = 'live', scopes, name: principal_name } = caller;
    const expires = expiresIn === undefined ? {} : { expires_at: timestamp(end + expiresIn * dayMs) };
    const body = { name: principal_name, principal_name, scopes, mode, ...expires };
    made.push([name, await api<CastKey>('POST', '/keys', { body })]);
  }
  const old = await api<CastKey>('POST', '/keys', { body: { name: 'Lost laptop', scopes: ['runs:read'] } });
  await api('DELETE', `/keys/${old.key_id}`);
  return Object.fromEntries(made) as unknown as Stage['keys'];
}

/** Reads the manifest of an Orb of the demonstration, from the shipped one that it is like. */
export function manifestOf({ like, orb_id, title, description }: DemoOrb, home: DemoHome): object {
  const file = program.dataFile(home.path, `orbs/${like ?? orb_id}.json`);
  const shipped = JSON.parse(readFileSync(file, 'utf8')) as object;
  return { ...shipped, orb_id, ...(title === undefined ? {} : { title, description }) };
}

/** Signs the Orbs with a key for each namespace, as a publisher does; answers the public keys. */
export async function signOrbs(call: CommandCall, home: DemoHome): Promise<Stage['manifestKeys']> {
  const sign = call.installation.commands.find(({ path }) => path === 'orbs sign');
  const keys = new Map<string, unknown>();
  for (const { orb_id } of orbs) {
    const namespace = namespaceOf(orb_id);
    await sign?.run({
      ...call,
      args: [orb_id],
      options: { key: join(home.path, `data/publishers/${namespace}.pem`) },
      env: { ORB_HOME: home.path },
      print: (value) => void keys.set(namespace, (value as { readonly manifest_key: unknown }).manifest_key),
      note: () => undefined,
    });
  }
  return keys;
}

/** The namespace of an Orb of the demonstration. */
export function namespaceOf(orbId: string): string {
  return orbId.slice(0, orbId.indexOf('.'));
}
