import { fine, type Examination, type Finding, type Row } from '../../kernel/index.ts';
import { viewStore } from '../../kernel/maintenance.ts';
import { placeOf } from '../operate/contract.ts';
import { isPostgres, type PostgresAddress } from './connection/address.ts';

const oldest = 140_000;
const mostSecondsApart = 2;

// One row about the server, the database and this connection. (PostgreSQL, "System Catalogs" and "Settings".)
const settings = `
  SELECT current_setting('server_version') AS version, CAST(current_setting('server_version_num') AS integer) AS number,
    pg_encoding_to_char(encoding) AS encoding, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS sync, current_setting('synchronous_standby_names') AS standbys,
    CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS double precision) AS clock,
    (SELECT count(*) FROM pg_stat_replication) AS replicas
  FROM pg_database WHERE datname = current_database()`;

/** Examines the database that is the store: that it answers, what it promises, and whether its clock is ours. */
export const examineDatabase: Examination = async ({ store: find }) => {
  const place = placeOf(find);
  const address = place?.address;
  if (place === undefined || !isPostgres(address)) return [];
  const view = await viewStore(place);
  try {
    const found = view?.prepare(settings).get() ?? {};
    return [store(address, found), durability(found), clock(found)];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy =
      'Check that the server is running, and that ORB_STORE_URL has its host, user, password and database.';
    return [{ name: 'store', state: 'fault', detail: `${address.shown}: ${why}`, remedy }];
  } finally {
    view?.close();
  }
};

function store({ shown }: Pick<PostgresAddress, 'shown'>, { encoding, number, version }: Row): Finding {
  const name = 'store';
  const server = `PostgreSQL ${String(version)} at ${shown}`;
  if (Number(number) < oldest)
    return {
      name,
      state: 'fault',
      detail: server,
      remedy: 'Use PostgreSQL 14 or newer; older versions were never tested.',
    };
  if (encoding !== 'UTF8')
    return {
      ...{ name, state: 'fault', detail: `${server} stores text in ${String(encoding)}` },
      remedy: 'Create another database: createdb -T template0 -E UTF8 --lc-collate=C orb',
    };
  return fine(name, server);
}

function durability({ fsync, replicas, standbys, sync }: Row): Finding {
  const name = 'durability';
  if (fsync === 'off' || sync === 'off')
    return {
      ...{ name, state: 'fault', detail: `the server has fsync=${String(fsync)}, synchronous_commit=${String(sync)}` },
      remedy: 'Set both to on: otherwise a crash of the server loses runs that callers got a response for.',
    };
  if (Number(replicas) > 0 && standbys === '')
    return {
      ...{ name, state: 'warning', detail: 'the server has standbys but does not wait for any of them' },
      remedy:
        'Set synchronous_standby_names: a failover to a standby that lags behind loses runs that callers got a response for.',
    };
  return fine(name, standbys === '' ? 'each commit is on the disk of the server' : 'each commit is also on a standby');
}

function clock({ clock: theirs }: Row): Finding {
  const apart = Math.abs(Number(theirs) - Date.now() / 1000);
  if (apart <= mostSecondsApart) return fine('clock', `the clock of the database differs by ${apart.toFixed(1)} s`);
  return {
    ...{ name: 'clock', state: 'warning', detail: `the clock of the database differs by ${apart.toFixed(1)} s` },
    remedy:
      'Synchronize both clocks with NTP: times of receipts come from this machine, other times from the database.',
  };
}
