import { expect } from 'chai';
import { presets } from '../../plugins/console/app/screens/keys/scope-groups.ts';
import { startPlatform, type Answer, type TestPlatform } from '../helpers/platform.ts';

const echo = 'demo.echo@1.0.0';
const execute = '/orbisets/default/execute';

describe('an app that runs Orbs', () => {
  let platform: TestPlatform;
  let app: string;
  let other: string;
  let reader: string;
  const runs: Answer['body'][] = [];
  before(async () => {
    platform = await startPlatform();
    const preset = presets.find(({ name }) => name === 'Application');
    const listed: readonly string[] = (await platform.call('GET', '/keys/scopes')).body.scopes.map(
      ({ scope }: { scope: string }) => scope,
    );
    const scopes = listed.filter((scope) => preset?.picks(scope));
    expect(scopes).to.include('orbs:execute').and.not.to.include('receipts:read').and.not.to.include('runs:read');
    app = await platform.key({ scopes });
    other = await platform.key({ scopes });
    reader = await platform.key({ scopes: ['runs:read', 'receipts:read'] });
    for (const key of [app, app, other]) runs.push(await run(key));
  });
  after(() => platform.stop());

  const run = async (key: string): Promise<Answer['body']> =>
    (await platform.call('POST', execute, { orb_id: echo, inputs: { text: 'x' } }, key)).body;
  const get = (path: string, key: string): Promise<Answer> => platform.call('GET', path, undefined, key);
  const ids = async (path: string, key: string): Promise<readonly string[]> => {
    const { status, body } = await get(path, key);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.runs.map(({ run_id }: { run_id: string }) => run_id);
  };

  it('reads its run, the receipt of it and its proof, and lists its own runs, with the scopes of the preset', async () => {
    const [first, second] = runs;
    expect((await get(`/runs/${first.run_id}`, app)).body.status).to.equal('completed');
    const receipt = await get(`/receipts/${first.receipt.receipt_id}`, app);
    expect([receipt.status, receipt.body.signature_valid]).to.deep.equal([200, true]);
    expect((await get(`/receipts/${first.receipt.receipt_id}/proof`, app)).status).to.equal(200);
    expect(await ids('/runs', app)).to.deep.equal([second.run_id, first.run_id]);
    expect(await ids(`/runs?limit=1`, app)).to.deep.equal([second.run_id]);
    expect(await ids(`/runs?orb_id=demo.*&status=completed`, app)).to.have.length(2);
  });

  it('reads nothing of another caller', async () => {
    const [, , theirs] = runs;
    expect((await get(`/runs/${theirs.run_id}`, app)).status).to.equal(404);
    for (const path of ['', '/proof', '?format=sigstore', '?disclose=inputs']) {
      const { status, body } = await get(`/receipts/${theirs.receipt.receipt_id}${path}`, app);
      expect([status, body.code], path).to.deep.equal([404, 'receipt_not_found']);
    }
    const asked = await get(`/runs?principal=${(await get(`/runs/${theirs.run_id}`, reader)).body.principal}`, app);
    expect([asked.status, asked.body.code]).to.deep.equal([403, 'insufficient_scope']);
    expect(asked.headers.get('www-authenticate')).to.contain('scope="runs:read"');
    expect((await get('/receipts', app)).status).to.equal(403);
    expect(await ids('/runs', reader)).to.have.length(3);
  });

  it('reads no run and receipt of an Orb that its key may not run any more', async () => {
    const [first] = runs;
    const principal = (await get(`/runs/${first.run_id}`, app)).body.principal;
    const narrow = await platform.key({ scopes: ['orbs:execute:notify.*'], principal });
    expect((await get(`/receipts/${first.receipt.receipt_id}`, narrow)).status).to.equal(404);
    expect(await ids('/runs', narrow)).to.deep.equal([]);
    const same = await platform.key({ scopes: ['orbs:execute:demo.*'], principal });
    expect((await get(`/receipts/${first.receipt.receipt_id}`, same)).status).to.equal(200);
    expect(await ids('/runs', same)).to.have.length(2);
  });

  it('reads no receipt of the installation, such as of a swap', async () => {
    const swapped = await platform.call('POST', `/providers/${echo}/swap`, { provider: 'echo' });
    const id = swapped.body.receipt_id;
    expect((await get(`/receipts/${id}`, platform.adminKey)).status).to.equal(200);
    expect((await get(`/receipts/${id}`, app)).status).to.equal(404);
  });
});
