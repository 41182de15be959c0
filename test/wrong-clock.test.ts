import { expect } from 'chai';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { usePostgres } from './helpers/use-postgres.ts';

const { now } = Date;

describe('a server whose clock is set a day on, on PostgreSQL', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let platform: TestPlatform;
  before(async () => {
    await server.client('wrong');
    const env = { ORB_STORE_URL: server.url('wrong'), ORB_MASTER_KEY: 'ab'.repeat(32), ORB_NODE: 'a' };
    platform = await startPlatform({ env });
  });
  afterEach(() => void (Date.now = now));
  after(async () => {
    Date.now = now;
    await platform?.stop();
  });

  const run = async (key = 'one') => {
    const response = await fetch(`${platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json' },
        'idempotency-key': key,
      },
      body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } }),
    });
    const body = (await response.json()) as { readonly run_id?: string; readonly code?: string };
    return { http: response.status, replayed: response.headers.get('idempotent-replayed'), ...body };
  };
  const counted = async (): Promise<unknown> => {
    const client = await server.client('wrong');
    const texts = ['journal_keys', 'receipts_receipts', 'runtime_runs'].map((name) => `(SELECT count(*) FROM ${name})`);
    return (await client.query({ text: `SELECT ${texts.join(', ')}`, rowMode: 'array' })).rows[0];
  };

  it('runs nothing again under a key that was answered, writes nothing, and goes on when it is right', async () => {
    const first = await run();
    expect(first, JSON.stringify(first)).to.include({ http: 200, replayed: null });
    const before = await counted();
    Date.now = () => now() + 25 * 3_600_000;
    // By this clock its lease is over: it accepts no key.
    expect(await run()).to.include({ http: 503, code: 'storage_unavailable' });
    expect(await run('two')).to.include({ http: 503, code: 'storage_unavailable' });
    const made = await platform.call('POST', '/keys', { name: 'late', scopes: ['orbs:execute'] });
    expect(made.status).to.equal(503);
    expect(await counted()).to.deep.equal(before);
    Date.now = now;
    expect(await run()).to.include({ http: 200, replayed: 'true', run_id: first.run_id });
  });

  it('takes the time of what it stores from the database', async () => {
    // Less than what ends its lease, or makes it write nothing.
    Date.now = () => now() + 5000;
    const { body } = await platform.call('POST', '/orbisets/default/execute', {
      orb_id: 'demo.echo@1.0.0',
      inputs: { text: 'hello' },
    });
    const { receipt } = body as { readonly receipt: { readonly timestamp: string } };
    expect(Date.parse(receipt.timestamp) - now()).to.be.within(-4000, 4000);
  });
});
