import { createServed, type Served } from './served.ts';
import { howToInstallPostgres, postgresFolder, startPostgres, type PostgresServer } from './postgres.ts';
import { startSmtp, type SmtpReceiver } from './smtp.ts';

/** One server of a cluster. */
export interface ClusterNode {
  readonly name: string;
  readonly served: Served;
  /** Where it listens; another one after each start. */
  url: string;
  /** Whether it was started, and not ended since by `end` or `kill`. */
  up: boolean;
}

/** An answer of a node; status 0: it could not be reached. */
export interface Answered<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
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
  call<T>(node: ClusterNode, method: string, path: string, sent?: Sent): Promise<Answered<T>>;
  /** Counts the mails whose subject is a token. */
  mails(token: string): number;
  remove(): Promise<void>;
}

/** Says whether a cluster can be started here; a test that is left out says why. */
export function clusterCanRun(): boolean {
  if (postgresFolder() !== undefined) return true;
  console.log(`      ${howToInstallPostgres}`);
  return false;
}

/** What one node has otherwise than the others. */
export interface Otherwise {
  readonly platform?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the main file of its program. */
  readonly program?: string;
  /** Called with its home before it starts for the first time. */
  readonly prepare?: (home: string) => void;
}

/** Starts servers of the given names on one new database, the first before the others. `platform`: of all of them. */
export async function startCluster(
  names: readonly string[],
  platform: object = {},
  otherwise: (name: string) => Otherwise = () => ({}),
): Promise<Cluster> {
  const postgres = await startPostgres();
  const database = 'orb';
  await postgres.client(database);
  const smtp = await startSmtp();
  const nodes = names.map((name): ClusterNode => {
    const { env: own, platform: differing, prepare, ...program } = otherwise(name);
    const common = { ORB_STORE_URL: postgres.url(database), ORB_MASTER_KEY: 'cd'.repeat(32), ORB_NODE: name };
    const file = { ...shared(platform, smtp.port), ...differing };
    const served = createServed(file, { env: { ...common, ...own }, ...program });
    prepare?.(served.home);
    return { name, served, url: '', up: false };
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
    await smtp.close();
    await postgres.stop();
  };
  try {
    const [first, ...others] = nodes;
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
    call: (node, method, path, sent) => call(node, method, path, { key, ...sent }),
    mails: (token) => smtp.messages.filter(({ raw }) => raw.includes(`Subject: ${token}\r\n`)).length,
  };
}

function shared(platform: object, port: number) {
  const mail = { adapter: 'email/smtp', config: { host: '127.0.0.1', port, starttls: 'never' } };
  // As good as the first, and in no order: to be swapped in.
  const spare = mail;
  return {
    store: { several_nodes: true },
    plugins: { ledger: false },
    providers: { mail, spare },
    bindings: { 'notify.email@1.0.0': ['mail'] },
    ...platform,
  };
}

async function call<T>(
  { url }: ClusterNode,
  method: string,
  path: string,
  { body, headers, key }: Sent & { readonly key: string },
): Promise<Answered<T>> {
  try {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as T, headers: answer.headers };
  } catch {
    return { status: 0, body: {} as T, headers: new Headers() };
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
