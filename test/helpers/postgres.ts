import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import type { StoreAddress } from '../../kernel/store/contract.ts';
import { until } from './until.ts';

/** How to get PostgreSQL; a test that is left out says it. */
export const howToInstallPostgres =
  'left out: PostgreSQL is neither on PATH nor in /usr/lib/postgresql (Debian package postgresql)';

const debianFolder = '/usr/lib/postgresql';

/** Finds the folder of PostgreSQL's programs: on PATH, else the newest of Debian's; undefined when there is none. */
export function postgresFolder(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const newest = versions
    .sort((one, other) => Number(other) - Number(one))
    .map((name) => join(debianFolder, name, 'bin'));
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...newest];
  return folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))));
}

/** A server of its own for some tests, in a temporary folder. */
export interface PostgresServer {
  /** Opens a client of a database, which is made at its first use. */
  client(database: string): Promise<pg.Client>;
  /** The address of a database, as ORB_STORE_URL takes it. */
  url(database: string): string;
  /** The folder of its socket. */
  readonly folder: string;
  /** Process id of the server; its other processes are children of it. */
  readonly pid: () => number;
  /** The address of a database as the store takes it. */
  address(database: string): StoreAddress;
  /** Kills the server, and starts it again after `meanwhile`. Its clients are lost. */
  restart(meanwhile?: () => unknown): Promise<void>;
  /** Ends the clients and the server, and removes its folder. */
  stop(): Promise<void>;
}

const user = 'orb';

/**
 * Starts a server on a Unix socket, without TCP; what it writes need not survive, unless it is `durable`, as operators run
 * it. `isolation`: of transactions that say nothing else; ORB_TEST_ISOLATION unless given. Throws when there is no
 * PostgreSQL.
 */
export async function startPostgres({
  durable = false,
  isolation = process.env['ORB_TEST_ISOLATION'] ?? 'read committed',
} = {}): Promise<PostgresServer> {
  const programs = postgresFolder();
  if (programs === undefined) throw new Error(howToInstallPostgres);
  const folder = mkdtempSync(join(tmpdir(), 'orb-pg-'));
  const run = runner(programs, folder);
  const data = join(folder, 'data');
  const made = await run('initdb', ['-D', data, '-U', user, '-E', 'UTF8', '--locale=C', '-A', 'trust', '--no-sync']);
  if (made.code !== 0) throw new Error(`initdb failed: ${made.said()}`);
  const settings = [
    'listen_addresses=',
    'max_connections=300',
    `unix_socket_directories=${folder}`,
    `default_transaction_isolation=${isolation}`,
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
  ];
  const start = () => run.start('postgres', ['-D', data, ...settings.flatMap((one) => ['-c', one])]);
  let server = start();
  const kill = (): void => void server.process.kill('SIGKILL');
  process.once('exit', kill);
  const clients: pg.Client[] = [];
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ host: folder, user, database });
    // A server that is restarted ends its clients.
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  let admin = await firstClient(server, connect);
  const end = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    const ended = once(server.process, 'exit');
    server.process.kill(signal);
    await ended;
  };
  return {
    async client(database) {
      const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
      if (rowCount === 0) await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(database)}`);
      return connect(database);
    },
    address: (database) => ({
      connect: { host: folder, user, database, ssl: false },
      shown: `postgres:///${database}`,
    }),
    async restart(meanwhile) {
      clients.splice(0);
      await end('SIGQUIT');
      await meanwhile?.();
      server = start();
      admin = await firstClient(server, connect);
    },
    folder,
    pid: () => server.process.pid ?? 0,
    url: (database) => `postgres:///${database}?host=${folder}&user=${user}`,
    async stop() {
      await Promise.all(clients.map((client) => client.end()));
      await end('SIGINT');
      process.removeListener('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function firstClient(server: Started, connect: (database: string) => Promise<pg.Client>): Promise<pg.Client> {
  const found = await until(
    () => connect('postgres').catch((error: unknown) => error as Error),
    (answer) => {
      if (server.process.exitCode !== null) throw new Error(`postgres ended: ${server.said()}`);
      return answer instanceof pg.Client;
    },
    'PostgreSQL',
  );
  return found as pg.Client;
}

interface Started {
  readonly process: ChildProcess;
  /** What it printed so far. */
  said(): string;
}

// PostgreSQL refuses to run as root: it gets a namespace in which root is another user, else the user nobody.
function runner(programs: string, folder: string) {
  const isRoot = process.getuid?.() === 0;
  const asUser = ['-U', '--map-user=1000', '--map-group=1000'];
  const inNamespace = isRoot && spawnSync('unshare', [...asUser, 'true']).status === 0;
  const nobody = isRoot && !inNamespace ? { uid: 65_534, gid: 65_534 } : {};
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
  chmodSync(folder, 0o700);
  const start = (program: string, args: readonly string[]): Started => {
    const path = join(programs, program);
    const [command, given] = inNamespace ? ['unshare', [...asUser, path, ...args]] : [path, args];
    const child = spawn(command, given, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...nobody });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (printed += text.toString()));
    return { process: child, said: () => printed.slice(-4000) };
  };
  const run = async (program: string, args: readonly string[]) => {
    const started = start(program, args);
    const [code] = (await once(started.process, 'close')) as [number | null];
    return { code, said: started.said };
  };
  return Object.assign(run, { start });
}
