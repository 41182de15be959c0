import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { operation, type Connection, type WriterScope } from '../../../../kernel/index.ts';
import type { Statement } from '../../../../kernel/store/contract.ts';
import { createSealer } from '../../../../kernel/store/sealer.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';
import queueStore, { type Entering } from '../../../../plugins/runtime/queue/store.ts';
import { bounds } from '../../../../plugins/runtime/run/limits/queue-room.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';

const node = { name: 'eins', incarnation: '1' };

describe('the queue of runs', () => {
  const stores = new Stores();
  let store: OpenStore;
  beforeEach(async () => {
    store = await stores.open(stores.folder(), { modules: [{ module: queueStore }] });
  });
  afterEach(() => stores.tidy());

  const row = (run_id: string, more: Partial<Entering> = {}): Entering => ({
    ...{ run_id, tenant: 't', orbiset_id: 'x', orb_id: 'a.b@1.0.0', principal: 'prn_1', mode: 'live' },
    ...{ accepted_at: 0, run_at: 0, expires_at: 1000, request: '{}' },
    ...more,
  });
  const entering = (run_id: string, more?: Partial<Entering>) => operation(queueStore, 'enter', row(run_id, more));
  const enter = async (...rows: Entering[]): Promise<void> => {
    for (let from = 0; from < rows.length; from += 500)
      await store.write(rows.slice(from, from + 500).map((one) => operation(queueStore, 'enter', one)));
  };
  const claim = async (now: number, limit = 10, orbiset_id = 'x') =>
    (await store.write([operation(queueStore, 'claim', { node, now, wishes: [{ orbiset_id, limit }] })]))[0];
  const refused = (one: ReturnType<typeof entering>) => rejection(store.write([one]));

  it('gives each run to one taker, by its time and then as it came, with its request', async () => {
    await enter(
      row('run_3'),
      row('run_1', { run_at: 5 }),
      row('run_2'),
      row('run_4', { run_at: 50, request: '{"a":1}' }),
    );
    const first = await claim(10, 2);
    expect(first.rows.map(({ run_id, state }) => [run_id, state])).to.deep.equal([
      ['run_2', 'claimed'],
      ['run_3', 'claimed'],
    ]);
    expect(first.next).to.deep.equal([{ orbiset_id: 'x', due_at: 5 }]);
    expect((await claim(10)).rows.map(({ run_id }) => run_id)).to.deep.equal(['run_1']);
    const last = await claim(50);
    expect([last.rows.map(({ request }) => request), last.next[0]?.due_at]).to.deep.equal([['{"a":1}'], undefined]);
    expect((await store.write([operation(queueStore, 'claimOne', { node, run_id: 'run_4' })]))[0]).to.equal(undefined);
  });

  it('leaves a run to another node that claimed it between the reading and the claim', async () => {
    const driver = new Driver(':memory:');
    for (const text of queueStore.migrations) driver.exec(text);
    const other = driver.prepare("UPDATE queue_runs SET state = 'claimed', node = 'zwei' WHERE run_id = 'run_1'");
    const base = connectionOf(driver);
    const connection: Connection = {
      prepare(sql) {
        const statement = base.prepare(sql);
        const all: Statement['all'] = (...values) => {
          const rows = statement.all(...values);
          other.run();
          return rows;
        };
        return sql.startsWith('SELECT') && sql.includes('request FROM') ? { ...statement, all } : statement;
      },
    };
    const sealer = createSealer(Buffer.alloc(32), 'ins_1');
    const { operations } = queueStore.write({ connection, sealer } as WriterScope);
    for (const id of ['run_1', 'run_2']) await operations.enter(row(id));
    const { rows } = await operations.claim({ node, now: 10, wishes: [{ orbiset_id: 'x', limit: 10 }] });
    expect(rows.map(({ run_id }) => run_id)).to.deep.equal(['run_2']);
    driver.prepare("UPDATE queue_runs SET state = 'queued'").run();
    const late = await operations.claimExpired({ node, now: 2000, limit: 10 });
    expect(late.map(({ run_id }) => run_id)).to.deep.equal(['run_2']);
    driver.close();
  });

  it('takes no more runs of one principal than half of its tenant, and takes those of others', async function () {
    this.timeout(60_000);
    const half = bounds.tenantRuns / 2;
    await enter(...Array.from({ length: half }, (_, n) => row(`run_${n}`)));
    const full = await refused(entering('run_more'));
    expect(full).to.deep.include({ code: 'queue_full' });
    expect(full).to.have.nested.property('extensions.retry_after', 5);
    await store.write([entering('run_other', { tenant: 'u' })]);
    const leave = (run_id: string) => operation(queueStore, 'leave', { run_id });
    await store.write([leave('run_7')]);
    await store.write([entering('run_more')]);
    // Another principal of the tenant gets half of what is left, and leaves room for a third one.
    await enter(...Array.from({ length: half / 2 }, (_, n) => row(`run_b_${n}`, { principal: 'prn_2' })));
    expect(await refused(entering('run_b_more', { principal: 'prn_2' }))).to.deep.include({ code: 'queue_full' });
    await store.write([entering('run_c', { principal: 'prn_3' })]);
    await store.write([leave('run_c')]);
    await store.write([entering('run_c', { principal: 'prn_3' })]);
  });

  it('takes no more bytes of one principal than half of its tenant', async () => {
    const request = 'x'.repeat(bounds.tenantBytes / 8);
    for (let n = 0; n < 3; n++) await store.write([entering(`run_${n}`, { request })]);
    await store.write([entering('run_3', { request: request.slice(1024) })]);
    expect(await refused(entering('run_7', { request }))).to.deep.include({ code: 'queue_full' });
    await store.write([entering('run_8', { principal: 'prn_2', request })]);
    await store.write([operation(queueStore, 'leave', { run_id: 'run_0' })]);
    await store.write([operation(queueStore, 'leave', { run_id: 'run_8' })]);
    await store.write([entering('run_7', { request: request.slice(1024) })]);
  });

  it('brings no more into memory by one claim than it may', async () => {
    const request = 'x'.repeat(3 * 1024 * 1024);
    for (let n = 0; n < 5; n++) await store.write([entering(`run_${n}`, { request })]);
    expect((await claim(0)).rows).to.have.length(3);
    expect((await claim(0)).rows).to.have.length(2);
  });

  it('finds those that have waited too long, whatever their turn', async () => {
    await enter(row('run_1', { expires_at: 20 }), row('run_2', { run_at: 5, expires_at: 10 }));
    const reads = store.reads(queueStore);
    expect(reads.firstExpiry()).to.equal(10);
    const [rows] = await store.write([operation(queueStore, 'claimExpired', { node, now: 15, limit: 10 })]);
    expect([rows.map(({ run_id }) => run_id), reads.firstExpiry()]).to.deep.equal([['run_2'], 20]);
  });

  it('gives up the claims of earlier starts, but not of runs that wait for a receipt', async () => {
    await enter(row('run_1'), row('run_2'));
    await claim(0);
    const left = (incarnation: string, shared: boolean, name = 'eins') =>
      operation(queueStore, 'releaseAll', { node: { name, incarnation }, shared, except: ['run_2'] });
    expect((await store.write([left('1', false)]))[0], 'its own').to.equal(0);
    expect((await store.write([left('2', true, 'zwei')]))[0], 'those of another node').to.equal(0);
    expect((await store.write([left('2', true)]))[0]).to.equal(1);
    expect((await claim(0)).rows.map(({ run_id }) => run_id)).to.deep.equal(['run_1']);
  });

  it('puts a run back for another turn, with what was tried', async () => {
    await enter(row('run_1'));
    await claim(0);
    const again = { run_id: 'run_1', due_at: 70, turns: 1, attempts: '[{}]', now: 10 };
    await store.write([operation(queueStore, 'again', again)]);
    expect((await claim(69)).rows).to.deep.equal([]);
    expect((await claim(70)).rows[0]).to.include({ turns: 1, attempts: '[{}]' });
  });

  it('lets what a clock that was ahead has put off begin at once, but for a time that a caller has named', async () => {
    const dayMs = 86_400_000;
    const put = { accepted_at: dayMs, run_at: dayMs, expires_at: 2 * dayMs };
    await enter(row('run_1'), row('run_2', put), row('run_3', { ...put, run_at: dayMs + 50 }));
    await claim(0);
    const again = { run_id: 'run_1', due_at: dayMs + 1000, turns: 1, attempts: '[]', now: dayMs };
    await store.write([operation(queueStore, 'again', again)]);
    const reads = store.reads(queueStore);
    expect([await reads.lastPut(), (await claim(10)).rows]).to.deep.equal([dayMs, []]);
    const [mended] = await store.write([operation(queueStore, 'mend', { now: 10, after: 5010 })]);
    expect(mended).to.deep.equal(Array(3).fill({ tenant: 't', orbiset_id: 'x' }));
    expect(await reads.lastPut()).to.equal(10);
    expect((await claim(10)).rows.map(({ run_id }) => run_id)).to.deep.equal(['run_1', 'run_2']);
    expect((await claim(dayMs + 50)).rows.map(({ run_id }) => run_id)).to.deep.equal(['run_3']);
  });
});
