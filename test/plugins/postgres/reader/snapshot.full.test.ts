import { expect } from 'chai';
import type pg from 'pg';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { createServed, type Served } from '../../../helpers/served.ts';

// The soak holds it ten minutes, and compares the times of runs; times of a few say nothing.
const soak = process.env['STORE_SOAK'] === '1';
const soakMs = 600_000;
const few = 150;
const compared = 500;

describe('a snapshot that is held open on PostgreSQL', function () {
  this.timeout(soak ? soakMs + 300_000 : 60_000);
  const server = usePostgres({ durable: soak });
  let served: Served;
  let admin: pg.Client;
  before(async () => {
    admin = await server.client('snapshot');
    const env = { ORB_STORE_URL: server.url('snapshot'), ORB_MASTER_KEY: 'ab'.repeat(32) };
    served = createServed({}, { env });
  });
  after(() => served?.remove());

  it('makes no batch slower: none changes a row that the one before has changed', async () => {
    const { url, key } = await served.start();
    const run = async (): Promise<number> => {
      const begin = performance.now();
      const response = await fetch(`${url}/orbisets/default/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'held' } }),
      });
      expect(response.status, await response.text()).to.equal(200);
      return performance.now() - begin;
    };
    for (let warm = 0; warm < (soak ? compared : 1); warm++) await run();
    const holder = await server.client('snapshot');
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await holder.query('SELECT count(*) FROM runtime_runs');
    const times: number[] = [];
    const end = performance.now() + soakMs;
    while (soak ? performance.now() < end : times.length < few) times.push(await run());
    const [first, last] = [times.slice(0, compared), times.slice(-compared)].map(median);
    // The processes of the database tell what they have done at the latest when they end.
    await served.stop();
    const { rows } = await admin.query<{ relname: string; changed: string }>(
      'SELECT relname, n_tup_upd AS changed FROM pg_stat_user_tables WHERE n_tup_ins + n_tup_upd > 0',
    );
    // A batch is one run here; the ledger writes down where it is a few times a second.
    const often = rows.filter(({ changed }) => Number(changed) > times.length / 2);
    expect(rows.map(({ relname }) => relname)).to.include('runtime_runs');
    expect(often).to.deep.equal([]);
    if (!soak) return;
    console.log(
      `      ${times.length} runs, p50 of the first ${compared} ${first?.toFixed(1)} ms, of the last ${last?.toFixed(1)} ms`,
    );
    expect(last).to.be.below(1.5 * (first ?? 0));
  });
});

function median(figures: readonly number[]): number {
  return [...figures].sort((one, other) => one - other)[figures.length >> 1] ?? 0;
}
