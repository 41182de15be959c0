import { expect } from 'chai';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';

const forbidding = `package orb.policies.no_secrets

deny contains "text may not hold the word secret" if {
	input.action.name == "execute"
	contains(lower(input.context.inputs.text), "secret")
}
`;

describe('a file dropped into the policies folder', () => {
  let home: PolicyHome;
  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home.platform.stop());

  it('takes effect by itself: what it forbids is 403 with its message, and the receipt names code and policy', async () => {
    expect((await home.echo(undefined, { text: 'a secret' })).status).to.equal(200);
    const begun = Date.now();
    home.write('no_secrets.rego', forbidding);
    await home.until('the file is in force', ({ policies }) => policies === 4);
    // Three seconds are promised; a busy machine may take longer, so the time is told and not asserted.
    console.log(`      in force after ${Date.now() - begun} ms`);
    const { status, body } = await home.echo(undefined, { text: 'a Secret' });
    expect(status).to.equal(403);
    expect(body).to.deep.include({
      code: 'access_denied',
      reasons: [{ code: 'policy_denied', policy: 'no_secrets', message: 'text may not hold the word secret' }],
    });
    const { body: receipt } = await home.platform.call('GET', `/receipts/${body.receipt.receipt_id}`);
    const facts = receipt.statement.predicate.facts.policy;
    expect(facts).to.include({ decision: 'deny', decision_id: body.decision_id });
    expect(facts.reasons[0]).to.have.all.keys('code', 'policy', 'message_commitment');
    expect(facts.reasons[0]).to.include({ code: 'policy_denied', policy: 'no_secrets' });
    expect(JSON.stringify(receipt.statement)).not.to.contain('hold the word');
    expect((await home.echo()).status).to.equal(200);
  });

  it('when broken changes nothing, and the status names file:line:column', async () => {
    const before = await home.until('in force', () => true);
    home.write('no_secrets.rego', forbidding.replace('lower(', 'lowr('));
    const { rejected, revision, health } = await home.until('it is rejected', (status) => status.rejected !== null);
    expect(revision).to.equal(before.revision);
    expect(health).to.equal('degraded_performance');
    expect(rejected.diagnostics[0]).to.include({ file: 'no_secrets.rego', line: 5, column: 11, severity: 'error' });
    expect(rejected.diagnostics[0].excerpt).to.contain('lowr(input');
    expect((await home.echo(undefined, { text: 'secret' })).status).to.equal(403);
  });

  it('when broken concerns the operator, not the visitors of the public status', async () => {
    const { call } = home.platform;
    expect((await call('GET', '/status')).body.services.runtime).to.equal('operational');
    const { body } = await call('GET', '/overview');
    expect(JSON.stringify(body)).to.contain('the policies folder is not active');
    expect(JSON.stringify((await call('GET', '/metrics')).body)).to.contain('orb_policy_folder_rejected 1');
  });

  it('when deleted allows again', async () => {
    home.remove('no_secrets.rego');
    await home.until('it is gone', ({ policies, rejected }) => policies === 3 && rejected === null);
    expect((await home.echo(undefined, { text: 'secret' })).status).to.equal(200);
  });
});
