import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import type { StoreAddress } from '../../kernel/surface.ts';
import type { PostgresAddress } from '../../plugins/postgres/connection/address.ts';
import { until } from './until.ts';

/** Address of the module of the engine, as the plugin declares it. */
export const engineModule: string = new URL('../../plugins/postgres/engine.ts', import.meta.url).href;

/** How to get PostgreSQL; a test that is left out says it. */
export const howToInstallPostgres =
  'left out: PostgreSQL is neither on PATH nor in /usr/lib/postgresql (Debian package postgresql)';

const debianFolder = '/usr/lib/postgresql';

/** Finds the folder of PostgreSQL's programs: on PATH, else the newest of Debian's; undefined when there is none. */
export function postgresFolder(): string | undefined {
  return folderOf('initdb', 'postgres');
}

function folderOf(...programs: readonly string[]): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const newest = versions
    .sort((one, other) => Number(other) - Number(one))
    .map((name) => join(debianFolder, name, 'bin'));
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...newest];
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program))));
}

/** A server of its own for some tests, in a temporary folder. */
export interface PostgresServer {
  /** Opens a client of a database, which is made at its first use; its transactions are READ COMMITTED. */
  client(database: string): Promise<pg.Client>;
  /** The address of a database, as ORB_STORE_URL takes it. */
  url(database: string): string;
  /** The folder of its socket. */
  readonly folder: string;
  /** The path of its socket. */
  readonly socket: string;
  /** Process id of the server; its other processes are children of it. */
  readonly pid: () => number;
  /** The address of a database as the store takes it. */
  address(database: string): StoreAddress & PostgresAddress;
  /** Kills the server, and starts it again after `meanwhile`. Its clients are lost. */
  restart(meanwhile?: () => unknown): Promise<void>;
  /** Makes another server that follows this one, which it reaches at a port of 127.0.0.1. */
  standby(port: number): Promise<Standby>;
  /** Kills the server by SIGKILL, for good. */
  kill(): Promise<void>;
  /** Ends the clients and the server, and removes its folder. */
  stop(): Promise<void>;
}

/** A server that follows another one, and takes its place when it is promoted. */
export interface Standby extends PostgresServer {
  promote(): Promise<void>;
}

const user = 'orb';

/** How a server is run. */
export interface PostgresSettings {
  /** What it writes survives a crash of the machine, as operators run it. */
  readonly durable?: boolean;
  /** Of transactions that say nothing else; ORB_TEST_ISOLATION unless given. */
  readonly isolation?: string;
  /** How many clients it takes. */
  readonly connections?: number;
}

/** Starts a server on a Unix socket, without TCP. Throws when there is no PostgreSQL. */
export async function startPostgres(settings: PostgresSettings = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-pg-'));
  const run = runner(programsOf(), folder);
  const template = process.env['SUITE_INITDB'];
  if (template === undefined) await initialize(folder, run);
  else copyData(template, join(folder, 'data'));
  return serverIn(folder, run, settings);
}

/**
 * Makes the data of a new server once for a whole run: with `SUITE_INITDB` naming it, each server starts from a copy.
 * Answers its path, and how to remove it.
 */
export async function makeTemplate(): Promise<{ readonly path: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-pg-template-'));
  await initialize(folder, runner(programsOf(), folder));
  return { path: join(folder, 'data'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

// PostgreSQL refuses a folder that others may read, which a copy is.
function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(to, 0o700);
  const { uid, gid } = statSync(from);
  if (uid !== process.getuid?.()) for (const path of [to, ...below(to)]) chownSync(path, uid, gid);
}

function below(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

async function initialize(folder: string, run: ReturnType<typeof runner>): Promise<void> {
  const data = join(folder, 'data');
  const made = await run('initdb', ['-D', data, '-U', user, '-E', 'UTF8', '--locale=C', '-A', 'trust', '--no-sync']);
  if (made.code !== 0) throw new Error(`initdb failed: ${made.said()}`);
}

function programsOf(...needed: readonly string[]): string {
  const programs = folderOf('initdb', 'postgres', ...needed);
  if (programs === undefined) throw new Error(howToInstallPostgres);
  return programs;
}

// Who looks on must not be refused for what others do at the same time. A server that follows another one refuses
// transactions that are serializable, too.
const looking = '-c default_transaction_isolation=read\\ committed';

async function startStandby(port: number, settings: PostgresSettings): Promise<Standby> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-pg-'));
  const run = runner(programsOf('pg_basebackup'), folder);
  const from = ['-d', `host=127.0.0.1 port=${port} user=${user} application_name=standby`];
  const made = await run('pg_basebackup', [...from, '-D', join(folder, 'data'), '-R', '--no-sync', '-c', 'fast']);
  if (made.code !== 0) throw new Error(`pg_basebackup failed: ${made.said()}`);
  const server = await serverIn(folder, run, settings);
  return {
    ...server,
    async promote() {
      const client = await server.client('postgres');
      await client.query('SELECT pg_promote()');
    },
  };
}

async function serverIn(
  folder: string,
  run: ReturnType<typeof runner>,
  settings: PostgresSettings,
): Promise<PostgresServer> {
  const { durable = false, isolation = process.env['ORB_TEST_ISOLATION'] ?? 'read committed' } = settings;
  const given = [
    'listen_addresses=',
    `max_connections=${settings.connections ?? 300}`,
    `unix_socket_directories=${folder}`,
    `default_transaction_isolation=${isolation}`,
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
  ];
  const start = () => run.start('postgres', ['-D', join(folder, 'data'), ...given.flatMap((one) => ['-c', one])]);
  let server = start();
  const kill = (): void => void server.process.kill('SIGKILL');
  process.once('exit', kill);
  const clients: pg.Client[] = [];
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ host: folder, user, database, options: looking });
    // A server that is restarted ends its clients.
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  let admin = await firstClient(server, connect);
  const end = async (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> => {
    if (server.process.exitCode !== null || server.process.signalCode !== null) return;
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
      module: engineModule,
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
    socket: join(folder, '.s.PGSQL.5432'),
    standby: (port) => startStandby(port, settings),
    kill: () => end('SIGKILL'),
    pid: () => server.process.pid ?? 0,
    url: (database) => `postgres:///${database}?host=${folder}&user=${user}`,
    async stop() {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
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
