import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { pruneInSteps, pruneWrites } from '../../../../../plugins/ingestion/incidents/store/pruning.ts';
import ingestionStore from '../../../../../plugins/ingestion/store.ts';
import { connectionOf } from '../../../../helpers/stores/memory.ts';

const limit = 1_000_000;
const old = '1970-01-01T00:00:00.000Z';

describe('the pruning of incidents', () => {
  let driver: Driver.Database;
  let visited = 0;
  let operations: ReturnType<typeof pruneWrites>;
  beforeEach(() => {
    driver = new Driver(':memory:');
    for (const migration of ingestionStore.migrations) driver.exec(migration);
    driver.function('counted', () => ++visited);
    operations = pruneWrites(connectionOf(driver, (sql) => sql.replaceAll('WHERE ', 'WHERE counted() > 0 AND ')));
  });
  afterEach(() => driver.close());

  const incidents = (first: number, count: number, more: { state?: string; frozen?: number } = {}): void => {
    const { state = 'resolved', frozen = 0 } = more;
    const insert = driver.prepare(
      `INSERT INTO ingestion_incidents (incident_id, key, kind, state, severity, retracted, frozen, starts_at, updated_at,
         record) VALUES (?, 'k', 'alerts', ?, 'high', 0, ?, '', ?, '{}')`,
    );
    driver.transaction(() => {
      for (let number = first; number < first + count; number++) insert.run(`inc_${number}`, state, frozen, old);
    })();
  };
  const events = (name: string, count: number, occurred: number, incident: (at: number) => string | null): void => {
    const insert = driver.prepare(
      `INSERT INTO ingestion_incident_events (event_id, fingerprint, key, occurred_ms, incident_id, record)
       VALUES (?, 'f', 'k', ?, ?, '{}')`,
    );
    driver.transaction(() => {
      for (let at = 0; at < count; at++) insert.run(`${name}_${at}`, occurred, incident(at));
    })();
  };
  /** Prunes all; returns how many rows each write visited, and how many rows were pruned. */
  const prune = async () => {
    const writes: number[] = [];
    let pruned = 0;
    await pruneInSteps(limit, async (args) => {
      visited = 0;
      const one = await operations.pruneIncidents(args);
      writes.push(visited);
      pruned += one.pruned;
      return one;
    });
    return { writes, pruned };
  };
  const count = (where: string) => driver.prepare(`SELECT count(*) FROM ${where}`).pluck().get();

  it('visits neither frozen and open incidents nor the events of today', async () => {
    incidents(0, 2000, { frozen: 1 });
    incidents(2000, 2000, { state: 'open' });
    events('new', 3000, limit, () => null);
    expect(await prune()).to.deep.equal({ writes: [0], pruned: 0 });
  });

  it('takes many writes for many rows, and ends', async () => {
    incidents(0, 450);
    events('own', 900, 5, (at) => `inc_${at % 450}`);
    events('none', 2500, 6, () => null);
    const { writes, pruned } = await prune();
    expect(pruned).to.equal(450 + 2500);
    expect(writes).to.have.length(7);
    expect(Math.max(...writes)).to.be.at.most(3000);
    expect([count('ingestion_incidents WHERE frozen = 0'), count('ingestion_incident_events')]).to.deep.equal([0, 0]);
  });

  it('deletes all events of an incident in the write that freezes it', async () => {
    incidents(0, 250);
    events('own', 3000, 5, (at) => `inc_${at % 250}`);
    const left = 'ingestion_incident_events e JOIN ingestion_incidents i ON i.incident_id = e.incident_id';
    await pruneInSteps(limit, async (args) => {
      const pruned = await operations.pruneIncidents(args);
      expect(count(`${left} WHERE i.frozen = 1`)).to.equal(0);
      return pruned;
    });
    expect(count(left)).to.equal(0);
  });

  it('goes past old events of incidents that can still change', async () => {
    incidents(0, 1, { state: 'open' });
    incidents(1, 1, { frozen: 1 });
    events('open', 2500, 5, () => 'inc_0');
    events('late', 3, 6, () => 'inc_1');
    const { writes, pruned } = await prune();
    expect([writes.length, pruned]).to.deep.equal([3, 3]);
    expect(count('ingestion_incident_events')).to.equal(2500);
  });
});
