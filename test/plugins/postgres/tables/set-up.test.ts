import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { operation } from '../../../../kernel/index.ts';
import type { StoreAddress } from '../../../../kernel/surface.ts';
import type { PostgresAddress } from '../../../../plugins/postgres/connection/address.ts';
import { checkSettings } from '../../../../plugins/postgres/tables/identity.ts';
import type { Session } from '../../../../plugins/postgres/connection/session.ts';
import { openStore, type OpenStore } from '../../../../kernel/store/serving/store.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { shelf } from '../../../helpers/stores/shelf.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;

describe('a database as operators set it up', function () {
  this.timeout(60_000);
  const server = usePostgres();
  const folders: string[] = [];
  afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

  const open = (address: StoreAddress & PostgresAddress): Promise<OpenStore> => {
    const stateDir = mkdtempSync(join(tmpdir(), 'orb-set-up-'));
    folders.push(stateDir);
    return openStore({
      ...{ stateDir, node: 'a', masterKey: 'ab'.repeat(32), list, address, modules: [{ module: shelf }] },
      ...{ version: '1.0.0', clock: systemClock, log: silentLog },
    });
  };
  const as = (user: string): StoreAddress & PostgresAddress => {
    const known = server.address('rights');
    return { ...known, connect: { ...known.connect, user } };
  };

  it('refuses a role that may not create the tables, in one sentence; the role serves when another one has', async () => {
    const admin = await server.client('rights');
    await admin.query('CREATE ROLE app LOGIN');
    await admin.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const error = await rejection(open(as('app')));
    expect(error).to.be.instanceOf(ConfigError);
    const { faults } = error as ConfigError;
    expect(faults).to.have.length(1);
    expect(faults[0]).to.match(
      /^ORB_STORE_URL: the role of postgres:\/\/\/rights lacks a right: permission denied for schema/,
    );
    await (await open(as('orb'))).close();
    await admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app');
    const store = await open(as('app'));
    await store.write([operation(shelf, 'insert', 1)]);
    expect(await store.awaitedReads(shelf).ids()).to.deep.equal([1]);
    await store.close();
  });

  it('makes its tables by the role for migrations, and serves by another one, which it grants what that lacks', async () => {
    const admin = await server.client('roles');
    await admin.query('CREATE ROLE maker LOGIN');
    await admin.query('CREATE ROLE "Serves Only" LOGIN');
    await admin.query('CREATE TABLE foreign_one (id bigint)');
    await admin.query('CREATE SCHEMA own AUTHORIZATION maker');
    const known = server.address('roles');
    const by = (user: string): StoreAddress & PostgresAddress => ({
      ...known,
      connect: { ...known.connect, user },
      schema: 'own',
    });
    for (const id of [1, 2]) {
      const store = await open({ ...by('Serves Only'), migration: by('maker') });
      await store.write([operation(shelf, 'insert', id)]);
      await store.close();
    }
    const { rows } = await admin.query(
      `SELECT DISTINCT tableowner AS owner, has_schema_privilege('Serves Only', 'own', 'CREATE') AS creates
       FROM pg_tables WHERE schemaname = 'own'`,
    );
    expect(rows).to.deep.equal([{ owner: 'maker', creates: false }]);
    await admin.query('CREATE SCHEMA closed AUTHORIZATION orb');
    await admin.query('GRANT USAGE ON SCHEMA closed TO maker');
    const refused = await rejection(
      open({ ...by('Serves Only'), schema: 'closed', migration: { ...by('maker'), schema: 'closed' } }),
    );
    expect(refused).to.be.instanceOf(ConfigError);
    expect((refused as ConfigError).faults).to.have.length(1);
    expect((refused as ConfigError).faults[0]).to.match(
      /^ORB_STORE_MIGRATION_URL: the role of .* lacks a right: permission denied for schema closed/,
    );
  });

  it('names the setting of the role for migrations when that cannot connect, or cannot grant', async () => {
    const admin = await server.client('grants');
    await admin.query('CREATE ROLE limited LOGIN');
    const known = server.address('grants');
    const by = (user: string): StoreAddress & PostgresAddress => ({ ...known, connect: { ...known.connect, user } });
    const unknown = await rejection(open({ ...by('limited'), migration: by('nobody_there') }));
    expect(String(unknown)).to.contain('ORB_STORE_MIGRATION_URL: postgres:///grants cannot be opened: role');
    const ungranted = await rejection(open({ ...by('nobody_there'), migration: by('orb') }));
    expect(ungranted).to.be.instanceOf(ConfigError);
    expect((ungranted as ConfigError).faults).to.deep.equal([
      'ORB_STORE_MIGRATION_URL: the role of postgres:///grants cannot give nobody_there its rights: role "nobody_there" does not exist',
    ]);
  });

  it('keeps its tables in a schema of its own', async () => {
    const admin = await server.client('parts');
    await admin.query('CREATE SCHEMA agent_orb');
    const store = await open({ ...server.address('parts'), schema: 'agent_orb' });
    await store.write([operation(shelf, 'insert', 1)]);
    expect(await store.awaitedReads(shelf).ids()).to.deep.equal([1]);
    await store.close();
    const { rows } = await admin.query<{ schema: string }>(
      `SELECT DISTINCT table_schema AS schema FROM information_schema.tables WHERE table_name LIKE 'shelf_%' OR table_name LIKE 'kernel_%'`,
    );
    expect(rows).to.deep.equal([{ schema: 'agent_orb' }]);
  });

  it('that goes away during a start can be used again later: storage_unavailable', async () => {
    const [admin, watcher] = [await server.client('away'), await server.client('away')];
    await (await open(server.address('away'))).close();
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE kernel_installation IN ACCESS EXCLUSIVE MODE');
    const opening = rejection(open(server.address('away')));
    const waiting = `FROM pg_stat_activity WHERE datname = 'away' AND wait_event_type = 'Lock'`;
    await until(
      async () => (await watcher.query(`SELECT 1 ${waiting}`)).rowCount,
      (count) => count === 1,
      'the start',
    );
    await watcher.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
    await admin.query('ROLLBACK');
    expect(await opening).to.include({ code: 'storage_unavailable' });
  });

  const fits = { encoding: 'UTF8', commits: 'on', version: 140_000, said: '14.0', patience: '1h' };
  const refusals = [
    { row: { version: 130_014, said: '13.14' }, says: 'is PostgreSQL 13.14; use PostgreSQL 14 or newer' },
    { row: { patience: '0' }, says: 'does not keep the settings of a connection, like a transaction pooler' },
    { row: { encoding: 'SQL_ASCII' }, says: 'has the encoding SQL_ASCII' },
    { row: { commits: 'off' }, says: 'has synchronous_commit off' },
  ];
  for (const { row, says } of refusals)
    it(`is refused at the start: ${says}`, async () => {
      const session = (found: object) =>
        ({ flush: () => Promise.resolve([{ rows: [found], changed: 1, tag: 'SELECT 1' }]) }) as unknown as Session;
      await checkSettings(session(fits), 'the database');
      const error = await rejection(checkSettings(session({ ...fits, ...row }), 'the database'));
      expect(error).to.be.instanceOf(ConfigError);
      expect((error as ConfigError).faults[0]).to.contain(says);
    });
});
