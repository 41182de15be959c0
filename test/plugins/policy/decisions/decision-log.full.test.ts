import { expect } from 'chai';
import type { Answer } from '../../../helpers/platform.ts';
import { compilerOrSkip } from '../compiler.ts';
import { startPolicyHome, type PolicyHome } from '../home.ts';

describe('the decision log', () => {
  let home: PolicyHome;
  const call = (method: string, path: string, body?: unknown, key?: string): Promise<Answer> =>
    home.platform.call(method, path, body, key);

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home?.platform.stop());

  it('logs every decision without its inputs; a tenant sees its own alone', async () => {
    const { body } = await home.echo(undefined, { text: 'something private' });
    const { body: page } = await call('GET', '/policies/-/decisions?limit=1&action=execute');
    const [decision] = page.decisions;
    expect(decision).to.include({ allow: true, run_id: body.run_id, receipt_id: body.receipt.receipt_id });
    expect(JSON.stringify(decision)).not.to.contain('private');
    const { body: one } = await call('GET', `/policies/-/decisions/${decision.decision_id}`);
    expect(one).to.deep.equal(decision);
    const key = await home.platform.key({ name: 'other', tenant: 'other', scopes: ['policies:read'] });
    expect((await call('GET', `/policies/-/decisions/${decision.decision_id}`, undefined, key)).status).to.equal(404);
    expect((await call('GET', '/policies/-/decisions', undefined, key)).body.decisions).to.deep.equal([]);
  });

  it('tells by time what was decided, whether or not the question has decimals', async () => {
    await home.echo();
    const list = async (query = ''): Promise<{ decision_id: string; at: string }[]> =>
      (await call('GET', `/policies/-/decisions?limit=1${query}`)).body.decisions;
    const [newest] = await list();
    const second = newest?.at.replace(/\.\d+/, '');
    expect((await list(`&from=${second}`))[0]?.decision_id).to.equal(newest?.decision_id);
    expect((await list(`&to=${second}`))[0]?.decision_id).not.to.equal(newest?.decision_id);
  });
});
