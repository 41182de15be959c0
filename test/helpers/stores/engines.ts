import { join } from 'node:path';
import type { NodeIdentity, Operations, Row, StoreModule, WriterScope } from '../../../kernel/index.ts';
import type { StorePlace } from '../../../kernel/maintenance.ts';
import { Committer } from '../../../kernel/store/sqlite/committer.ts';
import { openWriting, type Database } from '../../../kernel/store/sqlite/database.ts';
import { openIdentity, readHead } from '../../../kernel/store/sqlite/head.ts';
import type { Answer, Batch } from '../../../kernel/store/message.ts';
import { migrate } from '../../../kernel/store/sqlite/migration.ts';
import { PostgresCommitter } from '../../../plugins/postgres/writer/committer.ts';
import { SessionLost } from '../../../plugins/postgres/connection/flush.ts';
import { Outgoing } from '../../../plugins/postgres/writer/outgoing.ts';
import { baselineOf } from '../../../plugins/postgres/tables/schema.ts';
import { bind, openSession, type Session } from '../../../plugins/postgres/connection/session.ts';
import { takeDatabase } from '../../../plugins/postgres/cluster/taking.ts';
import { openIdentity as openSharedIdentity } from '../../../plugins/postgres/tables/identity.ts';
import { whileOthersWait } from '../../../plugins/postgres/tables/migration.ts';
import { leaseTimes } from '../../../plugins/postgres/cluster/watched.ts';
import { startPostgres, type PostgresServer } from '../postgres.ts';
import { Stores } from './open.ts';

/** A process of a test. */
interface Owner extends NodeIdentity {
  readonly shared: boolean;
}

/** A store module whose writes are run on both engines. */
export type TestedModule = StoreModule<Operations, unknown>;

/** What goes wrong with the next commit: it fails, or it succeeds and nobody hears of it. */
export type CommitFault = 'fails' | 'unheard';

/** A new store on an engine. */
export interface EngineStore {
  commit(batch: Batch): Promise<Answer>;
  /** Reads committed rows by a statement that both engines take; bytes as hex. */
  rows(sql: string): Promise<readonly Row[]>;
  /** Changes committed rows past the store. */
  edit(sql: string): Promise<void>;
  /** Opens it again, as a process does that was restarted. */
  reopen(): Promise<EngineStore>;
  /** The process, and where its store is; the folder is kept by its node. */
  readonly node: NodeIdentity;
  readonly place: StorePlace;
  /** Opens a process beside this one, of a node: by default in a folder of its own. It ends an earlier one of its name. */
  beside(node: string, stateDir?: string): Promise<EngineStore>;
  /** Faults of the next commits, in order. */
  faults: CommitFault[];
  close(): Promise<void>;
}

/** An engine under test. */
export interface Engine {
  /** Opens a new store; `shared`: for several processes beside each other, which only PostgreSQL has. */
  open(modules: readonly TestedModule[], of?: { readonly shared: true }): Promise<EngineStore>;
  stop(): Promise<void>;
}

const installation = 'ins_01M84QNPBZ8XVBP5D81A86FBEZ';

let started = 0;
const alone: Owner = { name: 'a', incarnation: '0123456789abcdef', shared: false };
const ownerOf = (name: string): Owner => ({
  ...{ name, incarnation: String(++started).padStart(16, '0'), shared: true },
});

function scopeOn(connection: WriterScope['connection'], stateDir: string, owner: Owner): WriterScope {
  const { shared, ...node } = owner;
  // No two processes make one id.
  const isAlone = owner.incarnation === alone.incarnation;
  let made = isAlone ? 0 : 10_000 * Number(owner.incarnation);
  return {
    ...{ connection, installation, stateDir, version: '1.0.0', now: () => 1_700_000_000_000, node, shared },
    ulid: () =>
      isAlone ? `01M84QNPBZ8XVBP5D81A86${String(1000 + made++)}` : `01M84QNPBZ8XVBP5D8${String(10_000_000 + made++)}`,
    // The same text is sealed alike on both engines.
    sealer: { seal: (_, plain) => Buffer.from(plain), open: (_, blob) => Buffer.from(blob), mac: (_, text) => text },
  };
}

function written(
  modules: readonly TestedModule[],
  connection: WriterScope['connection'],
  stateDir: string,
  owner = alone,
) {
  return modules.map(({ name, claims, write }) => ({
    ...{ name, claims },
    writing: write(scopeOn(connection, stateDir, owner)),
  }));
}

const shown = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]),
  );

/** Makes the engine of a single process: SQLite. */
export function sqliteEngine(): Engine {
  const stores = new Stores();
  return {
    open: (modules) => openSqlite(stores.folder(), modules),
    stop: () => stores.tidy(),
  };
}

async function openSqlite(stateDir: string, modules: readonly TestedModule[]): Promise<EngineStore> {
  const database = openWriting(join(stateDir, 'store.db'));
  openIdentity(database, {
    ...{ masterKey: Buffer.alloc(32), now: 0, newInstallation: () => installation },
    migrate: (kernel) => migrate(database, kernel, 0),
  });
  for (const module of modules) migrate(database, module, 0);
  const faults: CommitFault[] = [];
  const failing: Database = {
    ...database,
    prepare(sql) {
      const statement = database.prepare(sql);
      if (sql !== 'COMMIT') return statement;
      const run = (): number => {
        const fault = faults.shift();
        const changed = fault === 'fails' ? 0 : statement.run();
        if (fault !== undefined) throw new Error('the disk failed');
        return changed;
      };
      return { ...statement, run };
    },
  };
  const committer = new Committer(failing, readHead(database), written(modules, database, stateDir));
  await committer.open();
  return {
    ...{ faults, place: { stateDir }, node: alone, beside: () => Promise.reject(new Error('a file has one process')) },
    commit: (batch) => Promise.resolve(committer.commit(batch)),
    rows: (sql) => Promise.resolve(database.prepare(sql).all().map(shown)),
    edit: (sql) => Promise.resolve(database.execute(sql)),
    async reopen() {
      database.close();
      return openSqlite(stateDir, modules);
    },
    close: () => Promise.resolve(database.close()),
  };
}

/** Makes the engine of several processes: PostgreSQL, which must be there. */
export async function postgresEngine(options: Parameters<typeof startPostgres>[0] = {}): Promise<Engine> {
  const server = await startPostgres(options);
  const stores = new Stores();
  let made = 0;
  return {
    async open(modules, of) {
      const folder = (): string => stores.folder();
      const owner = of === undefined ? { ...alone, shared: true } : ownerOf(alone.name);
      const place = { server, folder, database: `engine${++made}`, stateDir: folder(), owner };
      await server.client(place.database);
      await makeTables(server, place.database, modules);
      return openPostgres(place, modules);
    },
    async stop() {
      await server.stop();
      await stores.tidy();
    },
  };
}

async function makeTables(server: PostgresServer, database: string, modules: readonly TestedModule[]): Promise<void> {
  const session = await openSession(server.address(database), 'upgrade');
  const made = { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => installation };
  await whileOthersWait(session, () => openSharedIdentity(session, made));
  for (const text of modules.flatMap(baselineOf)) await session.flush([bind(text, [])]);
  await session.close();
}

interface PostgresPlace {
  readonly server: PostgresServer;
  readonly database: string;
  readonly stateDir: string;
  readonly owner: Owner;
  /** Makes a folder. */
  folder(): string;
}

async function openPostgres(place: PostgresPlace, modules: readonly TestedModule[]): Promise<EngineStore> {
  const { server, database, stateDir, owner } = place;
  const faults: CommitFault[] = [];
  const sessions: Session[] = [];
  const open = async (): Promise<Session> => {
    const session = await openSession(server.address(database));
    sessions.push(session);
    return { ...session, flush: failing(session, faults) };
  };
  const outgoing = new Outgoing();
  const session = await open();
  const asker = { node: owner.name, incarnation: owner.incarnation, place: 'p' };
  const { head } = await takeDatabase(session, asker, {
    ...{ times: leaseTimes, version: '1.0.0', beside: owner.shared },
    say: () => undefined,
  });
  const all = written(modules, outgoing, stateDir, owner);
  const committer = new PostgresCommitter({ open, session, head, outgoing, modules: all });
  await committer.open();
  const reading = await open();
  return {
    faults,
    commit: (batch) => committer.commit(batch),
    edit: async (sql) => {
      for (const text of sql.split(';')) await reading.flush([bind(text, [])]);
    },
    rows: async (sql) => ((await reading.flush([bind(sql, [])]))[0]?.rows ?? []).map(shown),
    reopen: () =>
      openPostgres({ ...place, owner: owner.incarnation === alone.incarnation ? owner : ownerOf(owner.name) }, modules),
    ...{
      place: { stateDir, address: server.address(database) },
      node: { name: owner.name, incarnation: owner.incarnation },
    },
    beside: (node, kept = place.folder()) => openPostgres({ ...place, owner: ownerOf(node), stateDir: kept }, modules),
    async close() {
      await Promise.all(sessions.map((session) => session.close().catch(() => undefined)));
    },
  };
}

// The flush that commits is one that begins with the fence and ends with the number of the batch, or a COMMIT.
function failing(session: Session, faults: CommitFault[]): Session['flush'] {
  return async (statements) => {
    const [first, last] = [statements[0]?.text ?? '', statements.at(-1)?.text ?? ''];
    const commits = last === 'COMMIT' || (first.includes('kernel_nodes') && last.includes('INTO kernel_batches'));
    const fault = commits ? faults.shift() : undefined;
    if (fault === undefined) return session.flush(statements);
    if (fault === 'unheard') await session.flush(statements);
    session.abandon();
    throw new SessionLost('the connection was cut');
  };
}
