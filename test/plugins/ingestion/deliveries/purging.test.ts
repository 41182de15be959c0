import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { WriterScope } from '../../../../kernel/index.ts';
import { openBridge } from '../../../../plugins/postgres/reader/bridge.ts';
import { baselineOf } from '../../../../plugins/postgres/tables/schema.ts';
import { deliveryReading } from '../../../../plugins/ingestion/deliveries/reading.ts';
import { deliveryWriting, dueDeliveries } from '../../../../plugins/ingestion/deliveries/writing.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 21) + second * 1000).toISOString();
const [past, now, later] = [at(0), at(100), at(200)];
const name = (number: number): string => `dlv_${String(number).padStart(5, '0')}`;

interface Kept {
  readonly evidence: number;
  readonly keep_until: string;
  readonly state?: 'queued' | 'done';
  readonly body?: boolean;
}

/** Fills the tables with deliveries of one source, numbered from `first`. */
function fill(driver: Driver.Database, first: number, count: number, kept: Kept): void {
  const { evidence, keep_until, state = 'done', body = true } = kept;
  const insert = driver.prepare(
    `INSERT INTO ingestion_deliveries (delivery_id, source_id, vendor, delivery_key, received_at, last_seen_at, duplicates,
       refreshes, method, headers, query, size, digest, auth_strength, auth_scheme, test, state, attempts, progress,
       signals, evidence, keep_until)
     VALUES (?, 'src_1', 'generic', ?, ?, ?, 0, 0, 'POST', '{}', '{}', 1, 'sha256:x', 'strong', 'test', 0, ?, 1, 0, 1, ?, ?)`,
  );
  const insertBody = driver.prepare("INSERT INTO ingestion_bodies (delivery_id, form, bytes) VALUES (?, 'raw', x'00')");
  driver.transaction(() => {
    for (let number = first; number < first + count; number++) {
      insert.run(name(number), name(number), past, past, state, evidence, keep_until);
      if (body) insertBody.run(name(number));
    }
  })();
}

describe('deliveries whose time is over', () => {
  let driver: Driver.Database;
  let visited = 0;
  let operations: ReturnType<typeof deliveryWriting>;
  beforeEach(() => {
    driver = new Driver(':memory:');
    driver.pragma('foreign_keys = OFF');
    for (const migration of ingestionStore.migrations) driver.exec(migration);
    driver.function('counted', () => ++visited);
    const connection = connectionOf(driver, (sql) => sql.replaceAll('WHERE ', 'WHERE counted() > 0 AND '));
    operations = deliveryWriting({ connection, now: () => 0 } as Partial<WriterScope> as WriterScope);
  });
  afterEach(() => driver.close());

  /** Purges until nothing is left; returns how many rows were purged and how many were visited for it. */
  const purge = async (): Promise<readonly number[]> => {
    visited = 0;
    let purged = 0;
    for (let dropped = 200; dropped === 200;) purged += dropped = await operations.purge({ now });
    return [purged, visited];
  };
  const count = (table: string) => driver.prepare(`SELECT count(*) FROM ${table}`).pluck().get();

  it('are visited once: those that became alerts stay, without their bodies', async () => {
    fill(driver, 0, 1000, { evidence: 1, keep_until: past });
    expect((await purge())[0]).to.equal(1000);
    expect([count('ingestion_deliveries'), count('ingestion_bodies')]).to.deep.equal([1000, 0]);
    expect(await purge()).to.deep.equal([0, 0]);
    fill(driver, 1000, 1, { evidence: 1, keep_until: at(50) });
    const [purged, rows] = await purge();
    expect([purged, count('ingestion_bodies')]).to.deep.equal([1, 0]);
    expect(rows).to.be.at.most(5);
    const { deliveries } = deliveryReading(connectionOf(driver));
    const kept = deliveries({ limit: 2000 }).items.map(({ keep_until }) => keep_until);
    expect(new Set(kept), 'the time stays as it was').to.deep.equal(new Set([past, at(50)]));
  });

  it('and lost their bodies under an earlier program are visited once more', async () => {
    fill(driver, 0, 1000, { evidence: 1, keep_until: past, body: false });
    expect((await purge())[0]).to.equal(1000);
    expect(await purge()).to.deep.equal([0, 0]);
    expect(count('ingestion_deliveries')).to.equal(1000);
  });

  it('and wait, as those of a paused source do, are not visited', async () => {
    fill(driver, 0, 1000, { evidence: 0, keep_until: past, state: 'queued' });
    expect(await purge()).to.deep.equal([0, 0]);
    expect(count('ingestion_bodies')).to.equal(1000);
  });

  it('are gone when nothing can depend on them; the time of others is not over', async () => {
    fill(driver, 0, 2, { evidence: 0, keep_until: past });
    fill(driver, 2, 3, { evidence: 1, keep_until: later });
    expect((await purge())[0]).to.equal(2);
    expect([count('ingestion_deliveries'), count('ingestion_bodies')]).to.deep.equal([3, 3]);
  });
});

describe('deliveries whose time is over, on PostgreSQL', function () {
  this.timeout(120_000);
  const server = usePostgres();

  it('are not visited again without their bodies', async () => {
    const client = await server.client('purging');
    for (const text of baselineOf(ingestionStore)) await client.query(text);
    await client.query(
      `INSERT INTO ingestion_deliveries (delivery_id, source_id, vendor, delivery_key, received_at, last_seen_at,
         duplicates, refreshes, method, headers, query, size, digest, auth_strength, auth_scheme, test, state, attempts,
         progress, signals, evidence, keep_until)
       SELECT 'dlv_' || n, 'src_1', 'generic', n, '', '', 0, 0, 'POST', '{}', '{}', 1, '', 'strong', 'test', 0, 'done', 1,
         0, 1, 2, '${past}' FROM generate_series(1, 20000) AS n`,
    );
    for (const analyzed of [false, true]) {
      if (analyzed) await client.query('ANALYZE');
      const bridge = openBridge(server.address('purging'));
      bridge.hold();
      const read = bridge.prepare(
        'SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_xact_user_tables WHERE relname = ?',
      );
      const visited = (): number => Number(read.get('ingestion_deliveries')?.['n']);
      const due = bridge.prepare(dueDeliveries);
      const before = visited();
      for (let time = 0; time < 7; time++) expect(due.all(now)).to.deep.equal([]);
      expect(visited() - before, JSON.stringify({ analyzed })).to.equal(0);
      bridge.close();
    }
  });
});
