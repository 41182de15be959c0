import { expect } from 'chai';
import type { Answer } from '../../helpers/platform.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';
import { sayASecret } from './no-secrets.ts';

const path = '/policies/-/replay';

/** A policy that denies the echo Orb to keys of a mode, and texts with a word to all others. */
const draft = `package orb.policies.no_tests

deny contains "not for tests" if {
	input.subject.mode == "test"
	input.resource.id == "demo.echo@1.0.0"
}

deny contains "no secrets" if {
	input.subject.mode == "live"
	input.action.name == "execute"
	contains(input.context.inputs.text, "secret")
}
`;

/** A policy in force that denies whoever may read Orbs too. */
const active = `package orb.policies.no_readers

deny contains "no readers" if {
	input.action.name == "execute"
	"orbs:read" in input.subject.scopes
}
`;

describe('a replay of past decisions', () => {
  let home: PolicyHome;
  let own: string;
  let acme: string;
  const call = (body: object, key?: string): Promise<Answer> => home.platform.call('POST', path, body, key);

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome({ 'no_readers.rego': active });
    await home.until('the policy is in force', ({ policies }) => policies === 4);
    const { platform } = home;
    const scopes = ['policies:read', 'policies:write'];
    own = await platform.key({ name: 'author', scopes });
    acme = await platform.key({ name: 'acme author', tenant: 'acme', scopes });
    const test = await platform.key({ name: 'test', scopes: ['orbs:execute'], mode: 'test' });
    const reader = await platform.key({ name: 'reader', scopes: ['orbs:execute', 'orbs:read'] });
    // Two allowed tests, one allowed live run of a secret, one denied run.
    expect([(await home.echo(test)).status, (await home.echo(test)).status]).to.deep.equal([200, 200]);
    expect(await sayASecret(home)).to.equal(200);
    expect((await home.echo(reader)).status).to.equal(403);
    expect((await platform.call('PUT', '/policies/no_tests', { source: draft })).status).to.equal(201);
  });
  after(() => home?.platform.stop());

  it('tells what the drafts would have denied, and what only the inputs can tell', async () => {
    const { status, body } = await call({}, own);
    expect(status, JSON.stringify(body)).to.equal(200);
    const listed = (await home.platform.call('GET', '/policies/-/decisions')).body.decisions as { mode: string }[];
    expect(body.examined).to.equal(listed.length);
    expect(body.complete).to.equal(true);
    expect(body.counts).to.include({ would_deny: 2, would_allow: 0, not_replayable: 0 });
    expect(body.counts.undecidable, 'live runs').to.be.at.least(1);
    expect(body.decision_ids.would_deny).to.have.length(2);
    for (const id of body.decision_ids.would_deny as string[]) {
      const decision = (await home.platform.call('GET', `/policies/-/decisions/${id}`)).body;
      expect([decision.allow, decision.input.subject.mode, decision.orb_id]).to.deep.equal([
        ...[true, 'test', 'demo.echo@1.0.0'],
      ]);
    }
    expect(JSON.stringify(body)).not.to.contain('secret');
  });

  it('answers as the active policies did, and with none everything would be denied', async () => {
    const { body } = await call({ against: 'active', action: 'execute' }, own);
    expect([body.counts.same, body.examined]).to.deep.equal([4, 4]);
    const library = { path: 'lib.rego', source: 'package lib\n\nallow := true\n' };
    const { body: nothing } = await call({ files: [library], last: 3 }, own);
    expect(nothing.examined).to.equal(3);
    expect(nothing.counts.would_deny + nothing.counts.same).to.equal(3);
  });

  it('would allow what was denied', async () => {
    const files = [{ path: 'all.rego', source: 'package orb.policies.all\n\nallow if input.action.name\n' }];
    const { body } = await call({ files }, own);
    expect(body.counts).to.include({ would_deny: 0, would_allow: 1, undecidable: 0 });
  });

  it('is for authors, of their own tenant, one at a time, and keeps nothing', async () => {
    const key = await home.platform.key({ name: 'reader', scopes: ['policies:read'] });
    expect((await call({}, key)).status).to.equal(403);
    expect((await call({ against: 'active' }, acme)).body.examined).to.equal(0);
    expect((await call({ against: 'active' })).body.examined).to.be.at.least(4);
    const both = await Promise.all([call({}, own), call({}, own)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 429]);
    expect(both.find(({ status }) => status === 429)?.headers.get('retry-after')).to.equal('5');
    expect((await call({ against: 'active' }, own)).status, 'after it has ended').to.equal(200);
  });

  it('says what is wrong with the policies, and which revision there is not', async () => {
    const faulty = await call({ files: [{ path: 'a.rego', source: 'package orb.policies.a\n\nallow if x\n' }] }, own);
    expect([faulty.status, faulty.body.code]).to.deep.equal([422, 'policy_invalid']);
    expect(faulty.body.diagnostics[0]).to.include({ file: 'a.rego', line: 3 });
    expect((await call({ against: '0'.repeat(12) }, own)).body.code).to.equal('revision_not_found');
    expect((await call({ last: 1001 }, own)).body.code).to.equal('invalid_body');
  });
});
