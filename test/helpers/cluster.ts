import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { shippedProgram } from './program.ts';
import { createServed, type Served, type ServedOptions } from './served.ts';
import { startPostgres, type PostgresServer, type PostgresSettings } from './postgres.ts';
import { startRelay, type Relay } from './relay.ts';
import { startSmtp, type SmtpReceiver } from './smtp.ts';

/** One server of a cluster. */
export interface ClusterNode {
  readonly name: string;
  readonly served: Served;
  /** Where it listens; another one after each start. */
  url: string;
  /** Whether it was started, and not ended since by `end` or `kill`. */
  up: boolean;
  /** What lies between it and the database, when the cluster is `relayed`. */
  readonly relay: Relay;
}

/** How a cluster is run. */
export interface ClusterOptions extends PostgresSettings {
  /** Each node reaches the database through a relay in this thread: `Served.orb`, which blocks it, would wait for ever. */
  readonly relayed?: boolean;
  /** Where the relays and the SMTP receiver listen; 127.0.0.1 unless given. */
  readonly hosts?: { readonly database: string; readonly smtp: string };
}

/** The names of the nodes of most clusters; three of them in the soak. */
export const severalNodes: readonly string[] = ['WEATHER_SOAK', 'STORM_SIZE'].some((name) => process.env[name] === '1')
  ? ['a', 'b', 'c']
  : ['a', 'b'];

const loopback = { database: '127.0.0.1', smtp: '127.0.0.1' };

/** How a command of `orb` has ended. */
export interface CommandEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An answer of a node; status 0: it could not be reached. */
export interface Answered<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
  /** Nothing listened there, so nothing was sent. */
  readonly unsent?: boolean;
}

/** What a call sends. */
export interface Sent {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Servers that serve one PostgreSQL database beside each other, and one SMTP receiver. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly smtp: SmtpReceiver;
  readonly postgres: PostgresServer;
  readonly database: string;
  /** The key of the administrator. */
  readonly key: string;
  /** Starts a node, again after it has ended. */
  start(node: ClusterNode): Promise<void>;
  /** Ends a node by SIGKILL. */
  kill(node: ClusterNode): Promise<void>;
  /**
   * Calls a node, again while it says that its store is away or that it is overloaded, as a client does: on a busy machine
   * a node may lose its database for a moment.
   */
  call<T>(node: ClusterNode, method: string, path: string, sent?: Sent): Promise<Answered<T>>;
  /** Calls a node once, whatever it answers. */
  callOnce<T>(node: ClusterNode, method: string, path: string, sent?: Sent): Promise<Answered<T>>;
  /** Runs a command in the home of a node, as a process, beside the database and not behind the relay of the node. */
  orb(node: ClusterNode, ...args: readonly string[]): Promise<CommandEnd>;
  /** Counts the mails whose subject is a token. */
  mails(token: string): number;
  /** Leads the relays and the commands to another server of the database; the cluster ends it. */
  lead(server: PostgresServer): void;
  remove(): Promise<void>;
}

/** What one node has otherwise than the others. */
export interface Otherwise extends Pick<ServedOptions, 'executable' | 'preload' | 'serverEnv' | 'within'> {
  readonly platform?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the main file of its program. */
  readonly program?: string;
  /** Called with its home before it starts for the first time. */
  readonly prepare?: (home: string) => void;
  /** It is not started. */
  readonly down?: boolean;
}

/** Starts servers of the given names on one new database, the first before the others. `platform`: of all of them. */
export async function startCluster(
  names: readonly string[],
  platform: object = {},
  otherwise: (name: string) => Otherwise = () => ({}),
  { hosts = loopback, relayed = false, ...settings }: ClusterOptions = {},
): Promise<Cluster> {
  const postgres = await startPostgres(settings);
  const database = 'orb';
  await postgres.client(database);
  const servers = [postgres];
  const smtp = await startSmtp({ host: hosts.smtp });
  const relays = await Promise.all(names.map(() => startRelay(postgres.socket, hosts.database)));
  const nodes = relays.map((relay, index): ClusterNode => {
    const name = names[index] ?? '';
    const { down: _, env: own, platform: differing, prepare, ...program } = otherwise(name);
    const url = relayed
      ? `postgres://orb@${hosts.database}:${relay.port}/${database}?sslmode=disable`
      : postgres.url(database);
    const file = { ...shared(platform, { host: hosts.smtp, port: smtp.port }), ...differing };
    const env = { ...common, ORB_STORE_URL: url, ORB_NODE: name, ...own };
    const served = createServed(file, { env, ...program });
    prepare?.(served.home);
    return { name, served, url: '', up: false, relay };
  });
  let key = '';
  const start = async (node: ClusterNode): Promise<void> => {
    const started = await node.served.start();
    node.url = started.url;
    node.up = true;
    if (key === '') key = started.key;
  };
  const remove = async (): Promise<void> => {
    await Promise.all(nodes.map(({ served }) => served.remove()));
    await Promise.all(relays.map((relay) => relay.close()));
    await smtp.close();
    for (const server of servers) await server.stop();
  };
  try {
    const [first, ...others] = nodes.filter(({ name }) => otherwise(name).down !== true);
    if (first !== undefined) await start(first);
    await Promise.all(others.map(start));
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    ...{ nodes, smtp, postgres, database, start, remove },
    get key() {
      return key;
    },
    async kill(node) {
      node.up = false;
      await node.served.kill();
    },
    call: (node, method, path, sent) => whilePresent(() => callOnce(node, method, path, { key, ...sent })),
    callOnce: (node, method, path, sent) => callOnce(node, method, path, { key, ...sent }),
    orb: ({ name, served: { home }, url }, ...args) =>
      command(home, args, {
        ...common,
        ORB_STORE_URL: servers.at(-1)?.url(database) ?? '',
        ORB_NODE: name,
        ORB_URL: url,
        ORB_KEY: key,
      }),
    lead(server) {
      servers.push(server);
      for (const relay of relays) relay.lead(server.socket);
    },
    mails: (token) => smtp.messages.filter(({ raw }) => raw.includes(`Subject: ${token}\r\n`)).length,
  };
}

const common = { ORB_MASTER_KEY: 'cd'.repeat(32) };

function command(home: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandEnd> {
  const child = spawn(process.execPath, [shippedProgram, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
}

function shared(platform: object, receiver: { readonly host: string; readonly port: number }) {
  const mail = { adapter: 'email/smtp', config: { ...receiver, starttls: 'never' } };
  // As good as the first, and in no order: to be swapped in.
  const spare = mail;
  return {
    store: { several_nodes: true },
    providers: { mail, spare, echo: { adapter: 'echo/local' } },
    bindings: { 'notify.email@1.0.0': ['mail'], 'demo.echo@1.0.0': ['echo'] },
    ...platform,
  };
}

const longestAwayMs = 30_000;
const away: readonly unknown[] = ['storage_unavailable', 'overloaded'];

async function whilePresent<T>(ask: () => Promise<Answered<T>>): Promise<Answered<T>> {
  for (const deadline = Date.now() + longestAwayMs; ;) {
    const answer = await ask();
    const isAway = answer.status === 503 && away.includes((answer.body as { readonly code?: string }).code);
    if (!isAway || Date.now() > deadline) return answer;
    await delay(200);
  }
}

async function callOnce<T>(
  { url }: ClusterNode,
  method: string,
  path: string,
  { body, headers, key }: Sent & { readonly key: string },
): Promise<Answered<T>> {
  try {
    const answer = await fetch(url + path, {
      method,
      // Who calls a node that hangs gives up, as any client.
      signal: AbortSignal.timeout(60_000),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as T, headers: answer.headers };
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return { status: 0, body: {} as T, headers: new Headers(), unsent: cause?.code === 'ECONNREFUSED' };
  }
}

/** Makes the body of a run that sends a mail whose subject is a token. */
export function mailOf(token: string): object {
  return {
    orb_id: 'notify.email@1.0.0',
    inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: token, body: 'x' },
  };
}

/** A run as the API shows it. */
export interface ShownRun {
  readonly run_id: string;
  readonly status: string;
  readonly receipt_id?: string;
}
