import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed, type Served } from '../helpers/served.ts';
import { usePostgres } from '../helpers/use-postgres.ts';

// Each takes three servers to start: without the soak they are started once, with all plugins.
const isWhole = process.env['STORE_SOAK'] === '1';
const times = isWhole ? 5 : 1;

describe('three servers that start at once on an empty database', function () {
  this.timeout(400_000);
  const postgres = usePostgres();
  let databases = 0;
  const all: Served[] = [];
  afterEach(() => Promise.all(all.splice(0).map((served) => served.remove())));

  async function startThree(plugins: object) {
    const database = `first_${++databases}`;
    const client = await postgres.client(database);
    const nodes = ['a', 'b', 'c'].map((name) => {
      const env = { ORB_STORE_URL: postgres.url(database), ORB_MASTER_KEY: 'cd'.repeat(32), ORB_NODE: name };
      const served = createServed({ store: { several_nodes: true }, plugins }, { env });
      all.push(served);
      return served;
    });
    const started = await Promise.all(nodes.map((served) => served.start()));
    const rows = async (query: string): Promise<readonly string[]> =>
      (await client.query(query)).rows.map((row) => String(Object.values(row as object)[0]));
    return { nodes, urls: started.map(({ url }) => url), rows };
  }

  for (let time = 1; time <= times; time++)
    it(`make one installation and one admin key, which each accepts (${time} of ${times})`, async () => {
      const { nodes, urls, rows } = await startThree(isWhole ? { ledger: false } : {});
      for (const table of ['kernel_installation', 'api_keys_keys', 'api_keys_principals', 'subscriptions_key'])
        expect(await rows(`SELECT count(*) FROM ${table}`), table).to.deep.equal(['1']);
      const files = nodes.map(({ stateDir }) => join(stateDir, 'admin.key')).filter((file) => existsSync(file));
      expect(files).to.have.length(1);
      const key = readFileSync(files[0] ?? '', 'utf8').trim();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } });
      const statuses = urls.map(async (url) => [
        (await fetch(`${url}/keys/self`, { headers })).status,
        (await fetch(`${url}/orbisets/default/execute`, { method: 'POST', headers, body })).status,
      ]);
      expect(await Promise.all(statuses)).to.deep.equal(Array(3).fill([200, 200]));
      const keys = urls.map(async (url) => (await fetch(`${url}/.well-known/callback-keys.json`)).text());
      expect(new Set(await Promise.all(keys)).size).to.equal(1);
      if (!isWhole) await expectGrants(rows);
    });

  if (isWhole)
    it('grant each namespace of the shipped Orbs once', async () => expectGrants((await startThree({})).rows));

  async function expectGrants(rows: (query: string) => Promise<readonly string[]>): Promise<void> {
    expect(await rows('SELECT namespace FROM marketplace_grants ORDER BY namespace')).to.deep.equal([
      ...['demo', 'http', 'llm', 'notify'],
    ]);
    expect(await rows("SELECT count(*) FROM receipts_receipts WHERE kind = 'namespace'")).to.deep.equal(['4']);
  }
});
