import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../helpers/platform.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';
import { inForce, sayASecret, source, tests } from './no-secrets.ts';

describe('the life of a policy over the routes', () => {
  let home: PolicyHome;
  const call = (method: string, path: string, body?: unknown, key?: string): Promise<Answer> =>
    home.platform.call(method, path, body, key);
  const file = (name: string): string => join(home.folder, name);

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home?.platform.stop());

  it('lists what is active', async () => {
    const { body } = await call('GET', '/policies?limit=2');
    expect(body).to.include({ total: 3, limit: 2, offset: 0 });
    expect(body.policies.map(({ id }: { id: string }) => id)).to.deep.equal(['execute_by_scope', 'publish_owned']);
    expect(body.policies[0]).to.include({ active: true, draft: false, mode: 'enforce', tests: true });
    const one = await call('GET', '/policies/execute_by_scope');
    expect(one.body.source).to.equal(readFileSync(file('execute_by_scope.rego'), 'utf8'));
    expect((await call('GET', '/policies/nothing')).body.code).to.equal('policy_not_found');
  });

  it('refuses a draft with faults, and keeps nothing of it', async () => {
    const { status, body } = await call('PUT', '/policies/no_secrets', {
      source: source.replace('contains(', 'contain('),
    });
    expect([status, body.code]).to.deep.equal([422, 'policy_invalid']);
    expect(body.diagnostics[0]).to.include({ file: 'no_secrets.rego', line: 5, column: 2 });
    expect(body.detail).to.match(/^no_secrets\.rego:5:2: /);
    expect((await call('GET', '/policies/no_secrets')).status).to.equal(404);
  });

  it('keeps a draft without effect on runs or the folder', async () => {
    expect((await call('PUT', '/policies/no_secrets', { source, tests })).status).to.equal(201);
    expect((await call('PUT', '/policies/no_secrets', { source, tests, message: 'again' })).status).to.equal(200);
    expect(existsSync(file('no_secrets.rego'))).to.equal(false);
    expect(await sayASecret(home)).to.equal(200);
    const { body } = await call('GET', '/policies/no_secrets');
    expect(body).to.deep.include({ active: false, draft: true });
    expect(body.waiting).to.include({ source, message: 'again' });
  });

  it('dry-runs the draft against the active revision, and logs nothing', async () => {
    const before = (await call('GET', '/policies/-/decisions')).body.decisions.length as number;
    const input = envelope({ text: 'a secret' });
    const { body } = await call('POST', '/dry-run', { action: 'execute', input, against: 'drafts', explain: 'full' });
    expect(body.decision.allow).to.equal(false);
    expect(body.decision.reasons).to.deep.equal([
      { code: 'policy_denied', policy: 'no_secrets', message: 'no secrets' },
    ]);
    expect(body.active.allow).to.equal(true);
    expect(body.same_as_active).to.equal(false);
    expect(body.input_faults).to.deep.equal([]);
    expect(body.read_paths).to.include('context.inputs.text');
    expect(body.missing_input).to.include('context.swap.to');
    expect(body.trace).to.contain('no_secrets.rego:5');
    expect(body.trace).not.to.contain('__local');
    expect((await call('GET', '/policies/-/decisions')).body.decisions).to.have.length(before);
  });

  it('activates the draft: folder, revision and effect; the draft is gone', async () => {
    const previous = await inForce(home);
    const wrong = await activate({}, '"sha256:0"');
    expect([wrong.status, wrong.body.code]).to.deep.equal([412, 'precondition_failed']);
    const { status, body } = await activate({ message: 'no secrets' }, `"${previous}"`);
    expect(status).to.equal(200);
    expect(body.previous).to.equal(previous);
    expect(readFileSync(file('no_secrets.rego'), 'utf8')).to.equal(source);
    expect(readFileSync(file('no_secrets_test.rego'), 'utf8')).to.equal(tests);
    expect(await sayASecret(home)).to.equal(403);
    expect((await call('GET', '/policies/no_secrets')).body).to.deep.include({ active: true, draft: false });
    const { body: list } = await call('GET', '/policies/-/revisions');
    expect(list.revisions.find(({ active }: { active: boolean }) => active)).to.include({
      revision: body.revision,
      message: 'no secrets',
    });
    const diff = await call('GET', `/policies/-/revisions/${previous}/diff/${body.revision.slice(7, 27)}`);
    expect(diff.body.files.map(({ path, change }: Record<string, string>) => [path, change])).to.deep.equal([
      ['no_secrets.rego', 'added'],
      ['no_secrets_test.rego', 'added'],
    ]);
  });

  const activate = async (body: object, match: string): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${home.platform.adminKey}`,
      'content-type': 'application/json',
      'if-match': match,
    };
    const answer = await fetch(`${home.platform.url}/policies/-/activate`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };

  it('changes a mode by the METADATA of the file', async () => {
    await call('PUT', '/policies/no_secrets/mode', { mode: 'shadow' });
    expect(readFileSync(file('no_secrets.rego'), 'utf8')).to.match(
      /^# METADATA\n# custom:\n# {3}mode: shadow\npackage/,
    );
    const { status, body } = await home.echo(undefined, { text: 'a secret' });
    expect(status).to.equal(200);
    const { body: receipt } = await call('GET', `/receipts/${body.receipt.receipt_id}`);
    expect(receipt.statement.predicate.facts.policy).to.include({ decision: 'allow', shadow_denies: 1 });
    await call('PUT', '/policies/no_secrets/mode', { mode: 'enforce' });
    expect(await sayASecret(home)).to.equal(403);
  });

  it('rolls back to what was in force before', async () => {
    const { status } = await call('POST', '/policies/-/rollback', {});
    expect(status).to.equal(200);
    expect(await sayASecret(home)).to.equal(200);
    expect(readFileSync(file('no_secrets.rego'), 'utf8')).to.contain('mode: shadow');
  });

  it('takes a policy out of force, its tests with it', async () => {
    expect((await call('DELETE', '/policies/no_secrets')).status).to.equal(200);
    expect([existsSync(file('no_secrets.rego')), existsSync(file('no_secrets_test.rego'))]).to.deep.equal([
      false,
      false,
    ]);
    expect((await call('DELETE', '/policies/no_secrets')).status).to.equal(404);
  });

  it('refuses to write over a folder that differs, unless told to', async () => {
    await call('PUT', '/policies/no_secrets', { source });
    writeFileSync(file('broken.rego'), 'package orb.policies.broken\n\nallow if\n');
    await home.until('rejected', ({ rejected }) => rejected !== null);
    const { status, body } = await call('POST', '/policies/-/activate', {});
    expect([status, body.code]).to.deep.equal([412, 'precondition_failed']);
    expect((await call('POST', '/policies/-/activate', { overwrite: true })).status).to.equal(200);
    expect(existsSync(file('broken.rego'))).to.equal(false);
    expect(await sayASecret(home)).to.equal(403);
    await call('DELETE', '/policies/no_secrets');
  });

  it('takes a draft as plain text', async () => {
    const put = (text: string): Promise<Response> =>
      fetch(`${home.platform.url}/policies/plain`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${home.platform.adminKey}`, 'content-type': 'text/plain' },
        body: text,
      });
    expect((await put('package plain\n\nx :=\n')).status).to.equal(422);
    expect((await put(source.replace('no_secrets', 'plain'))).status).to.equal(201);
    expect((await call('GET', '/policies/plain')).body.waiting.source).to.contain('package orb.policies.plain');
    expect((await call('DELETE', '/policies/plain/draft')).status).to.equal(204);
  });

  it('needs a scope of its own for each kind of act', async () => {
    const key = await home.platform.key({ name: 'reader', scopes: ['policies:read'] });
    const asked: [string, string, unknown][] = [
      ['PUT', '/policies/x', { source }],
      ['POST', '/policies/-/rollback', {}],
      ['DELETE', '/policies/execute_by_scope', undefined],
      ['POST', '/dry-run', { action: 'swap', input: {} }],
    ];
    for (const [method, path, body] of asked)
      expect((await call(method, path, body, key)).body.code, path).to.equal('insufficient_scope');
  });
});

function envelope(inputs: object): object {
  return {
    subject: { type: 'principal', id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'live' },
    resource: {
      ...{ type: 'orb', id: 'demo.echo@1.0.0', namespace: 'demo', name: 'echo', version: '1.0.0', capability: 'echo' },
      ...{ manifest_digest: 'sha256:0', manifest_signed: false, action_class: 'read', effect: 'none' },
      ...{ data_classes: [], tier: 'none', score: null, state: 'active' },
    },
    context: {
      orbiset: { id: 'default', labels: {} },
      inputs,
      inputs_bytes: 10,
      delivery: 'at_most_once',
      providers: [{ name: 'echo', adapter: 'echo/local', health: 'up', generation: 1 }],
    },
  };
}
