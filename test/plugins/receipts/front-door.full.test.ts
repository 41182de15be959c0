import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { createServed } from '../../helpers/served.ts';

const run = {
  orb_id: 'notify.email@1.0.0',
  inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'a', body: 'b' },
};

describe('receipts and signing keys over HTTP', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  it('lets a receipt be asked for with receipts:read or the scope of an act, and shows each key what it may see', async () => {
    const { call } = platform;
    const made = await call('POST', '/orbisets/default/execute', run);
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const ofRun = String(made.body.receipt.receipt_id);
    const ofKey = String((await call('POST', '/signing-keys/rotate', { role: 'certificate' })).body.receipt_id);
    const reader = await platform.key({ name: 'reader', scopes: ['receipts:read'] });
    const manager = await platform.key({ name: 'manager', scopes: ['signing-keys:manage'] });
    const stranger = await platform.key({ name: 'stranger', scopes: ['orbs:read'] });
    const status = async (id: string, key: string) => (await call('GET', `/receipts/${id}`, undefined, key)).status;
    expect([await status(ofRun, reader), await status(ofKey, reader)]).to.deep.equal([200, 404]);
    expect([await status(ofRun, manager), await status(ofKey, manager)]).to.deep.equal([404, 200]);
    expect([await status(ofRun, stranger), await status(ofKey, stranger)]).to.deep.equal([403, 403]);
    expect([await status(ofRun, platform.adminKey), await status(ofKey, platform.adminKey)]).to.deep.equal([200, 200]);
    expect((await call('GET', `/receipts/${ofKey}/proof`, undefined, manager)).status).to.equal(200);
    expect((await call('GET', `/receipts/${ofRun}/proof`, undefined, manager)).status).to.equal(404);
  });

  it('gives the signing keys to whom * grants them, and to nobody else', async () => {
    const { call } = platform;
    const reader = await platform.key({ name: 'no keys', scopes: ['receipts:read', 'keys:manage'] });
    for (const [method, path, body] of [
      ['GET', '/signing-keys', undefined],
      ['POST', '/signing-keys/rotate', { role: 'receipt' }],
      ['POST', `/signing-keys/${'A'.repeat(43)}/revoke`, { reason: 'none' }],
    ] as const)
      expect((await call(method, path, body, reader)).body.code).to.equal('insufficient_scope');
    const granting = await call('POST', '/keys', { name: 'x', scopes: ['signing-keys:manage'] }, reader);
    expect(granting.status).to.equal(403);
    expect((await call('POST', '/signing-keys/rotate', { role: 'master' })).body.code).to.equal('invalid_body');
    expect((await call('POST', `/signing-keys/${'A'.repeat(43)}/revoke`, { reason: 'none' })).body.code).to.equal(
      'key_not_found',
    );
    const { keys } = (await call('GET', '/signing-keys')).body;
    const log = keys.find(({ role }: { role: string }) => role === 'log');
    expect((await call('POST', `/signing-keys/${log.kid}/revoke`, { reason: 'none' })).body.code).to.equal(
      'signing_key_conflict',
    );
  });

  it('goes on serving runs through a change of every key, and publishes what their receipts are verified with', async () => {
    const { call } = platform;
    const execute = async (): Promise<string> => {
      const { body, status } = await call('POST', '/orbisets/default/execute', run);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.receipt.signature_valid).to.equal(true);
      return String(body.receipt.receipt_id);
    };
    const ids: string[] = [];
    for (const role of ['receipt', 'log', 'certificate', 'log', 'receipt']) {
      const [, ...made] = await Promise.all([
        call('POST', '/signing-keys/rotate', { role, reason: 'by custom' }).then(({ status }) =>
          expect(status).to.equal(200),
        ),
        ...Array.from({ length: 6 }, execute),
      ]);
      ids.push(...made);
    }
    // Verifying for strangers has a rate of its own.
    for (const id of ids.filter((_, at) => at % 3 === 0)) {
      const { body } = await call('GET', `/receipts/${id}`);
      expect(body.signature_valid).to.equal(true);
      const report = (await call('POST', '/receipts/verify', body, null)).body;
      expect(report.overall, JSON.stringify(report)).to.equal('VERIFIED');
    }
    const { keys } = (await call('GET', '/.well-known/jwks.json', undefined, null)).body;
    expect(keys.filter(({ role }: { role: string }) => role === 'log')).to.have.length(3);
    for (const shard of ['0', '1', '2'])
      expect((await call('GET', `/log/${shard}/checkpoint`, undefined, null)).status).to.equal(200);
    expect((await call('GET', '/log/policy', undefined, null)).body.match(/^log /gm)).to.have.length(3);
  }).timeout(60_000);
});

describe('orb signing-keys', () => {
  const served = createServed();
  before(() => served.start());
  after(async () => {
    await served.stop();
    await served.remove();
  });
  const orb = (...args: string[]) => served.orb('signing-keys', ...args);
  const kidOf = (role: string, list: string): string =>
    new RegExp(`^(\\S+) +${role} +active`, 'm').exec(list)?.[1] ?? expect.fail(list);

  it('lists, rotates and revokes, and says what became of it', () => {
    const listed = orb('list');
    expect(listed.status, listed.stderr).to.equal(0);
    expect(listed.stdout.trim().split('\n')).to.have.length(4);
    const kid = kidOf('receipt', listed.stdout);
    const rotated = orb('rotate', 'receipt', '--reason', 'by custom');
    expect(rotated.status, rotated.stderr).to.equal(0);
    expect(rotated.stdout).to.include(`replaces ${kid}`);
    expect(orb('rotate', 'log').stdout).to.match(/the log continues as ins_\w+\.orb\/receipts\/1/);
    const revoked = orb('revoke', kid, '--reason', 'kept too long', '--yes');
    expect(revoked.status, revoked.stderr).to.equal(0);
    expect(revoked.stdout).to.match(/is revoked from ins_\w+\.orb\/receipts\/1@\d+ on/);
    expect(revoked.stdout).to.match(/Receipts that it signed before that position stay valid/);
    expect(orb('list').stdout).to.match(new RegExp(`${kid} +receipt +revoked from ins_\\w+\\.orb/receipts/1@\\d+ on`));
  }).timeout(60_000);

  it('says what a revoked certificate key means for what it signed', () => {
    const kid = kidOf('certificate', orb('list').stdout);
    const revoked = orb('revoke', kid, '--reason', 'lost', '--yes');
    expect(revoked.status, revoked.stderr).to.equal(0);
    expect(revoked.stdout)
      .to.match(/^certificate key \S+ is revoked from \S+ on; \S+ signs now\.$/m)
      .and.match(/name the log from before that position stay valid; the others are revoked/)
      .and.match(/gets a new certificate at once/);
  }).timeout(60_000);

  it('revokes from a position that is named', () => {
    const keys = (
      JSON.parse(orb('list', '--json').stdout) as {
        keys: { kid: string; role: string; status: string; origin?: string }[];
      }
    ).keys;
    const { kid = '' } = keys.find(({ role, status }) => role === 'receipt' && status === 'active') ?? {};
    const origin = keys.find(({ role }) => role === 'log')?.origin ?? '';
    const revoked = orb('revoke', kid, '--reason', 'shown', '--yes', '--from', `${origin}@2`, '--json');
    expect(revoked.status, revoked.stderr).to.equal(0);
    expect(JSON.parse(revoked.stdout)).to.deep.include({ kid, from: { origin, index: 2 } });
  }).timeout(60_000);

  it('refuses a revocation without a reason, or from no position', () => {
    for (const kid of ['A'.repeat(43), `-${'A'.repeat(42)}`, `--${'A'.repeat(41)}`]) {
      const { status, stderr } = orb('revoke', kid, '--yes');
      expect([status, stderr]).to.deep.equal([64, '--reason is required\n']);
    }
    expect(orb('revoke', 'A'.repeat(43), '--reason', 'x', '--yes', '--from', 'somewhere').status).to.equal(64);
    expect(orb('revoke', 'A'.repeat(43), '--reason', 'x', '--yes').status).to.not.equal(0);
  }).timeout(60_000);
});
