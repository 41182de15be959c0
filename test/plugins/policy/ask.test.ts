import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';
import type { Answer } from '../../helpers/platform.ts';
import { onPostgres } from '../../helpers/store-engine.ts';
import { inStore } from '../../helpers/stored.ts';
import { until } from '../../helpers/until.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';

const example = (name: string): string => readFileSync(join(packageDir, 'plugins/approvals/policies', name), 'utf8');
const files = Object.fromEntries(
  ['outside_mail.rego', 'outside_mail_test.rego'].map((name) => [name, example(name)] as const),
);
const members = ['prn_01M8FAMKDW8EACJ6XYYH95MPC3', 'prn_01M8FAMM1Q2G38RASKEJSD4XFB'];
const platform = {
  plugins: { approvals: { config: { groups: { office: members, finance: { members, links: true } } } } },
  providers: { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } },
};
const whole = {
  ...{ code: 'mail_outside', message: 'the mail goes to example.net', approvers: 'office' },
  ...{ of: 1, expires_s: 3600, bind: 'inputs', policies: ['outside_mail'] },
};
const reason = { code: 'mail_outside', policy: 'outside_mail', message: 'the mail goes to example.net' };
const mail = { orb_id: 'notify.email@1.0.0', inputs: { from_address: 'orb@example.com', subject: 's', body: 'b' } };
const mailTo = (to: string): object => ({ ...mail, inputs: { ...mail.inputs, to } });

describe('a policy that asks for an approval', () => {
  let home: PolicyHome;
  let denied: Answer;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    home.platform.call(method, path, body);
  const send = (to: string): Promise<Answer> =>
    call('POST', '/orbisets/default/execute', { ...mailTo(to), hold: 'refuse' });
  const sent = (): number => {
    const outbox = join(home.platform.stateDir, 'outbox');
    return existsSync(outbox) ? readdirSync(outbox, { recursive: true }).length : 0;
  };

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome({}, { platform });
    expect((await send('ada@example.net')).status).to.equal(200);
    for (const [name, text] of Object.entries(files)) home.write(name, text);
    const { rejected } = await home.until('active', (status) => status.policies === 4 || status.rejected !== null);
    expect(rejected).to.equal(null);
  });
  after(() => home?.platform.stop());

  it('ends a run that is not to be held with 403 approval_required: no provider is called', async () => {
    const before = sent();
    denied = await send('ada@example.net');
    expect(denied.status).to.equal(403);
    expect(denied.body).to.include({ code: 'approval_required', run_status: 'denied' });
    expect(denied.body.detail).to.match(/^a member of office must approve this run first/);
    expect(denied.body.reasons).to.deep.equal([reason]);
    expect(denied.body.receipt.signature_valid).to.equal(true);
    expect(sent()).to.equal(before);
    const run = (await call('GET', `/runs/${denied.body.run_id}`)).body;
    expect(run).to.include({ status: 'denied', reason: 'approval_required' });
    expect((await send('ada@example.com')).status).to.equal(200);
  });

  it('ends an asynchronous run at once, and a repeated call is decided again', async () => {
    const before = sent();
    for (const more of [{ mode: 'async' }, {}]) {
      const body = JSON.stringify({ ...mailTo('ada@example.net'), hold: 'refuse', ...more });
      const authorization = `Bearer ${home.platform.adminKey}`;
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': `once-${body.length}` };
      const execute = () => fetch(`${home.platform.url}/orbisets/default/execute`, { method: 'POST', headers, body });
      for (const answer of [await execute(), await execute()]) {
        expect(answer.status).to.equal(403);
        expect(answer.headers.has('idempotent-replayed')).to.equal(false);
        expect(await answer.json()).to.include({ code: 'approval_required', run_status: 'denied' });
      }
    }
    expect(sent()).to.equal(before);
  });

  it('is in the receipt as a denial by its code, of the class policy_denied', async () => {
    const { statement } = (await call('GET', `/receipts/${denied.body.receipt.receipt_id}`)).body;
    const { facts } = statement.predicate;
    expect(facts).to.deep.include({ outcome: 'denied', attempts: [] });
    expect(facts.policy).to.include({ decision: 'deny' });
    const { message_commitment: _, ...told } = facts.policy.reasons[0];
    expect(told).to.deep.equal({ code: 'mail_outside', policy: 'outside_mail' });
    expect(Object.keys(facts.policy).sort()).to.deep.equal(
      ['decision', 'decision_id', 'policies', 'reasons', 'revision', 'shadow_denies', 'warns'].sort(),
    );
    expect(JSON.stringify(statement)).to.contain('policy_denied');
  });

  it('is told by the preview, the log of decisions and the metrics', async () => {
    const preview = (await call('POST', '/orbisets/default/preview', mailTo('ada@example.net'))).body;
    expect(preview).to.deep.include({ decision: 'ask', reasons: [reason], asks: [whole] });
    const own = (await call('POST', '/orbisets/default/preview', mailTo('ada@example.com'))).body;
    expect(own.decision).to.equal('allow');
    const decision = (await call('GET', `/policies/-/decisions/${denied.body.decision_id}`)).body;
    expect(decision).to.deep.include({ allow: false, outcome: 'ask', asks: [whole], reasons: [reason] });
    expect(decision.input.context.approvals).to.deep.equal([]);
    expect(String((await call('GET', '/metrics')).body)).to.match(
      /orb_policy_decisions_total\{action="execute",outcome="ask"\} [1-9]/,
    );
  });

  it('is told by a dry run and its trace', async () => {
    const { input } = (await call('GET', `/policies/-/decisions/${denied.body.decision_id}`)).body;
    const { time: _, time_ns: __, ...context } = input.context;
    const inputs = mail.inputs;
    const parsed = { to: [{ name: '', address: 'ada@example.net', local: 'ada', domain: 'example.net' }] };
    const body = { action: 'execute', input: { ...input, context: { ...context, inputs, parsed } }, explain: 'full' };
    const { decision, input_faults, trace, read_paths } = (await call('POST', '/dry-run', body)).body;
    expect(decision).to.deep.include({ allow: false, outcome: 'ask', asks: [whole], reasons: [reason] });
    expect(input_faults).to.deep.equal([]);
    expect(trace).to.contain('outside_mail.rego').and.not.to.contain('decides differently');
    expect(read_paths).to.include('resource.capability');
  });

  it('is told by a replay of past decisions', async () => {
    const source =
      'package orb.policies.late\n\nask contains {"code": "late", "message": "x", "approvers": "finance"} if input.resource.capability == "echo"\n';
    expect((await home.echo()).status).to.equal(200);
    expect((await call('PUT', '/policies/late', { source })).status).to.equal(201);
    const query = { last: 1, orb_id: 'demo.echo@1.0.0' };
    const { counts, decision_ids } = (await call('POST', '/policies/-/replay', query)).body;
    expect(counts).to.include({ would_ask: 1, would_deny: 0, same: 0 });
    expect(decision_ids.would_ask).to.have.length(1);
    expect((await call('DELETE', '/policies/late/draft')).status).to.equal(204);
  });

  it('names its groups, and a group that is unknown is a finding with line and column', async () => {
    expect((await call('GET', '/policies/outside_mail')).body.approvers).to.deep.equal(['office']);
    const source = files['outside_mail.rego']?.replaceAll('"office"', '"nobody"') ?? '';
    const posted = { files: [{ path: 'outside_mail.rego', source }] };
    const { valid, diagnostics } = (await call('POST', '/policies/validate', posted)).body;
    expect(valid).to.equal(false);
    expect(diagnostics[0]).to.include({ code: 'wrong_ask', file: 'outside_mail.rego', line: 18, column: 15 });
    expect(diagnostics[0].message).to.contain('there is no group nobody');
    home.write('outside_mail.rego', source);
    const { rejected } = await home.until('rejected', (status) => status.rejected !== null);
    expect(rejected.diagnostics[0]).to.include({ code: 'wrong_ask', line: 18 });
    expect((await send('ada@example.net')).body.code).to.equal('approval_required');
    home.write('outside_mail.rego', files['outside_mail.rego'] ?? '');
    await home.until('accepted', (status) => status.rejected === null);
  });

  it('holds a run until a member approves it, whose answer counts when the policy decides again', async () => {
    const { key, principal } = (await call('POST', '/keys', { name: 'ada', scopes: ['runs:approve'] })).body;
    await home.platform.stop({ keep: true });
    const groups = { office: [principal], finance: { members, links: true } };
    const plugins = { approvals: { config: { groups } } };
    home = await startPolicyHome({}, { home: home.platform.home, platform: { ...platform, plugins } });
    const before = sent();
    const held = await call('POST', '/orbisets/default/execute', mailTo('ada@example.net'));
    expect([held.status, held.body.status]).to.deep.equal([202, 'held']);
    expect(sent()).to.equal(before);
    const path = `/approvals/${held.body.approval.id}`;
    const shown = (await home.platform.call('GET', path, undefined, key)).body;
    expect(shown.inputs.to).to.equal('ada@example.net');
    expect(shown.asks[0]).to.include({ code: 'mail_outside', message: 'the mail goes to example.net', of: 1 });
    const decision = { decision: 'approve', digest: shown.digest };
    expect((await home.platform.call('POST', `${path}/decision`, decision, key)).body.state).to.equal('approved');
    const run = await until(
      async () => (await call('GET', `/runs/${held.body.run_id}`)).body,
      ({ status }) => status === 'completed',
      'the mail',
    );
    expect(sent()).to.be.above(before);
    const { facts } = (await call('GET', `/receipts/${run.receipt_id}`)).body.statement.predicate;
    expect(facts.approval.digest).to.equal(shown.digest);
    expect(facts.policy).to.include({ decision: 'allow' });
    const asked = (await call('GET', `/policies/-/decisions/${facts.policy.decision_id}`)).body;
    expect(asked).to.include({ allow: true, outcome: 'allow' });
    expect(asked.input.context.approvals[0]).to.deep.include({ code: 'mail_outside', approved_by: [principal] });
    await home.platform.stop({ keep: true });
    home = await startPolicyHome({}, { home: home.platform.home, platform });
  });

  it('is compiled again when an earlier version compiled it without its asks', async () => {
    await home.platform.stop({ keep: true });
    const stored = (): Promise<readonly Record<string, unknown>[]> =>
      inStore(home.platform.home, `SELECT compiled FROM policy_revisions WHERE compiled LIKE '%outside_mail%'`);
    await inStore(home.platform.home, `UPDATE policy_revisions SET compiled = REPLACE(compiled, '"ask"', '"warn"')`);
    expect(JSON.stringify(await stored())).not.to.contain('\\"ask\\"');
    home = await startPolicyHome({}, { home: home.platform.home, platform });
    // Until then nothing is allowed.
    const codes = new Set<string>();
    await until(
      async () => (await send('ada@example.net')).body.code as string,
      (code) => codes.add(code) && code === 'approval_required',
      'compiled again',
    );
    expect([...codes].filter((code) => !['policy_unavailable', 'approval_required'].includes(code))).to.deep.equal([]);
    // Each node of a shared store compiles it for itself.
    if (!onPostgres) expect(JSON.stringify(await stored())).to.contain('\\"ask\\"');
  });

  it('denies when its group is gone, and when the plugin is: nothing is allowed unnoticed', async () => {
    for (const plugins of [{ approvals: { config: {} } }, { approvals: false }]) {
      await home.platform.stop({ keep: true });
      home = await startPolicyHome({}, { home: home.platform.home, platform: { ...platform, plugins } });
      const answer = await send('ada@example.net');
      expect([answer.status, answer.body.code]).to.deep.equal([403, 'access_denied']);
      const overview = JSON.stringify((await call('GET', '/overview')).body);
      expect(overview).to.contain('asks a group that is not configured');
      expect(answer.body.reasons[0]).to.include({ code: 'policy_ask_invalid', policy: 'outside_mail' });
      expect((await send('ada@example.com')).status).to.equal(200);
    }
  });
});
