import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresFolder } from './postgres.ts';
import { until } from './until.ts';

/** A PostgreSQL server that knows its roles by certificates; all files are PEM. */
export interface TlsPostgres {
  readonly port: number;
  /** The authority of the server's certificate. */
  readonly authority: string;
  /** A certificate of a role, and its key. */
  certificateOf(name: string, of?: 'authority' | 'stranger'): { readonly cert: string; readonly key: string };
  stop(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
const mapped = ['-U', '--map-user=1000', '--map-group=1000'];
const inNamespace = isRoot && spawnSync('unshare', [...mapped, 'true']).status === 0;
const nobody = isRoot && !inNamespace ? 65_534 : undefined;

/** Starts such a server on a port of 127.0.0.1; needs PostgreSQL and openssl. Its superuser is `orb`. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-pg-tls-'));
  const data = join(folder, 'data');
  if (nobody !== undefined) chownSync(folder, nobody, nobody);
  const makeSigned = signing(folder);
  const made = spawnSync(
    ...commandOf('initdb', ['-D', data, '-U', 'orb', '-E', 'UTF8', '--locale=C', '-A', 'trust', '--no-sync']),
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${String(made.stderr)}`);
  const { cert, key } = makeSigned('localhost', 'authority');
  const authority = join(folder, 'authority.pem');
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 cert\n');
  const port = await freePort();
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, 'fsync=off', 'ssl=on'],
    ...[`ssl_cert_file=${cert}`, `ssl_key_file=${key}`, `ssl_ca_file=${authority}`],
  ].flatMap((setting) => ['-c', setting]);
  const [command, args, options] = commandOf('postgres', ['-D', data, ...settings]);
  const server: ChildProcess = spawn(command, args, { ...options, stdio: 'ignore' });
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  return {
    ...{ port, authority },
    certificateOf: (name, of = 'authority') => makeSigned(name, of),
    async stop() {
      process.removeListener('exit', kill);
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server answers a client with a certificate. */
export async function superuserOf(server: TlsPostgres, read: (path: string) => string): Promise<pg.Client> {
  const { cert, key } = server.certificateOf('orb');
  const ssl = { ca: read(server.authority), cert: read(cert), key: read(key) };
  const connect = async (): Promise<pg.Client | Error> => {
    const client = new pg.Client({ host: 'localhost', port: server.port, user: 'orb', database: 'postgres', ssl });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client,
      (error: unknown) => error as Error,
    );
  };
  return (await until(connect, (found) => found instanceof pg.Client, 'PostgreSQL')) as pg.Client;
}

function commandOf(program: string, args: readonly string[]) {
  const path = join(postgresFolder() ?? '', program);
  const options = nobody === undefined ? {} : { uid: nobody, gid: nobody };
  const all = inNamespace ? [...mapped, path, ...args] : [...args];
  return [inNamespace ? 'unshare' : path, all, { cwd: tmpdir(), ...options }] as const;
}

function signing(folder: string) {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  };
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['authority', 'stranger']) {
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), '-days', '2'];
    openssl('req', '-x509', ...fresh, ...out, '-subj', `/CN=${name}`);
  }
  return (name: string, of: 'authority' | 'stranger') => {
    const [key, request, cert] = ['key', 'csr', 'pem'].map((end) => file(`${of}-${name}.${end}`)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file('names'), `subjectAltName=DNS:${name}\n`);
    openssl('req', ...fresh, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
    const signer = [
      '-CA',
      file(`${of}.pem`),
      '-CAkey',
      file(`${of}.key`),
      '-CAcreateserial',
      '-extfile',
      file('names'),
    ];
    openssl('x509', '-req', '-in', request, ...signer, '-days', '2', '-out', cert);
    for (const path of readdirSync(folder).map(file)) if (path !== join(folder, 'data')) chmodSync(path, 0o600);
    if (nobody !== undefined) for (const path of [key, cert, file(`${of}.pem`)]) chownSync(path, nobody, nobody);
    return { cert, key };
  };
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}
