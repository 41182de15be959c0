import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from './until.ts';
import { closedPort } from './vendor.ts';

const python = fileURLToPath(new URL('../../dist/synapse/bin/python', import.meta.url));
const secret = 'the-tests-register-with-this';

/** An account of the homeserver. */
export interface Account {
  readonly user_id: string;
  readonly access_token: string;
}

/** A homeserver of Matrix: Synapse with SQLite in a temporary folder, on loopback. */
export interface Synapse {
  readonly url: string;
  readonly port: number;
  /** Starts it and waits until it answers. */
  start(): Promise<void>;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
  /** Makes an account; one without limits of the rate sends as fast as it can. */
  register(name: string, options?: { readonly limited?: boolean }): Promise<Account>;
  /** Makes a room and answers its id. */
  room(owner: Account, options?: { readonly encrypted?: boolean }): Promise<string>;
  /** Contents of the messages in a room, oldest first. */
  messages(reader: Account, room: string): Promise<readonly Content[]>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** Content of a message, with the id of its event. */
export interface Content {
  readonly event_id: string;
  readonly body: string;
  readonly formatted_body?: string;
}

// A part of the events of a room.
interface Page {
  readonly chunk: readonly { readonly content: Content; readonly event_id: string }[];
  readonly end?: string;
}

/** Makes a homeserver, which is not started yet. Needs the tool `synapse`. */
export async function createSynapse(): Promise<Synapse> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-synapse-'));
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, 'homeserver.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(settings(folder, port, url)));
  writeFileSync(join(folder, 'log.yaml'), JSON.stringify(logging));
  const program = ['-m', 'synapse.app.homeserver', '-c', file];
  await promisify(execFile)(python, [...program, '--generate-keys'], { cwd: folder });
  let child: ChildProcess | undefined;
  let log = '';
  const call = async (method: string, path: string, body?: object, token = ''): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return answer;
    throw new Error(`${method} ${path} answered ${response.status} ${JSON.stringify(answer)}`);
  };
  let admin: Account | undefined;
  const made = async (name: string, isAdmin: boolean): Promise<Account> => {
    const { nonce } = await call('GET', '/_synapse/admin/v1/register');
    const password = randomBytes(12).toString('hex');
    const mac = createHmac('sha1', secret)
      .update([nonce, name, password, isAdmin ? 'admin' : 'notadmin'].join('\0'))
      .digest('hex');
    const account = { nonce, username: name, password, admin: isAdmin, mac };
    return (await call('POST', '/_synapse/admin/v1/register', account)) as unknown as Account;
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const exit = once(running, 'exit');
    running.kill('SIGKILL');
    await exit;
  };
  return {
    url,
    port,
    async start() {
      child = spawn(python, program, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr?.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-10_000)));
      const ended = once(child, 'exit').then(() => {
        if (child !== undefined) throw new Error(`Synapse ended: ${log}`);
        return false;
      });
      const isUp = (): Promise<boolean> =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      await Promise.race([until(isUp, (up) => up, 'Synapse'), ended]);
      ended.catch(() => undefined);
    },
    kill,
    async register(name, { limited = false } = {}) {
      admin ??= await made('admin', true);
      const account = await made(name, false);
      const limits = { messages_per_second: 0, burst_count: 0 };
      const path = `/_synapse/admin/v1/users/${encodeURIComponent(account.user_id)}/override_ratelimit`;
      if (!limited) await call('POST', path, limits, admin.access_token);
      return account;
    },
    async room(owner, { encrypted = false } = {}) {
      const state = { type: 'm.room.encryption', state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } };
      const body = encrypted ? { initial_state: [state] } : {};
      const { room_id } = await call('POST', '/_matrix/client/v3/createRoom', body, owner.access_token);
      return String(room_id);
    },
    async messages(reader, room) {
      const filter = encodeURIComponent(JSON.stringify({ types: ['m.room.message'] }));
      const found: Content[] = [];
      for (let from = ''; ;) {
        const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/messages?dir=f&limit=500&filter=${filter}${from}`;
        const page = await call('GET', path, undefined, reader.access_token);
        const { chunk, end } = page as unknown as Page;
        for (const { content, event_id } of chunk) found.push({ ...content, event_id });
        if (end === undefined) return found;
        from = `&from=${encodeURIComponent(end)}`;
      }
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settings(folder: string, port: number, url: string): object {
  const resources = [{ names: ['client'], compress: false }];
  return {
    server_name: 'localhost',
    public_baseurl: url,
    listeners: [{ port, type: 'http', tls: false, bind_addresses: ['127.0.0.1'], resources }],
    database: { name: 'sqlite3', args: { database: join(folder, 'homeserver.db') } },
    log_config: join(folder, 'log.yaml'),
    media_store_path: join(folder, 'media'),
    signing_key_path: join(folder, 'signing.key'),
    registration_shared_secret: secret,
    macaroon_secret_key: secret,
    form_secret: secret,
    report_stats: false,
    trusted_key_servers: [],
    suppress_key_server_warning: true,
    presence: { enabled: false },
    rc_message: { per_second: 0.2, burst_count: 3 },
  };
}

const logging = {
  version: 1,
  handlers: { console: { class: 'logging.StreamHandler' } },
  root: { level: 'WARNING', handlers: ['console'] },
  disable_existing_loggers: false,
};
