import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { browserCall, ownPage, signIn } from '../console/browser-call.ts';

const orb = 'notify.email@1.0.0';
const secret = 'Zx9-hidden-password-41';
const mail = { from_address: 'orb@example.org', to: 'someone@example.org', subject: 'hello', body: 'there' };

describe('a provider that is put over the API', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let smtp: SmtpReceiver;
  const lines: string[] = [];
  const shown: string[] = [];
  const file = () => ({
    providers: { outbox: { adapter: 'email/outbox' } },
    plugins: { 'stored-providers': { config: { private_hosts: [{ host: '127.0.0.1', port: smtp.port }] } } },
  });
  const smtpOf = (more: object = {}) => ({
    adapter: 'email/smtp',
    config: { host: '127.0.0.1', port: smtp.port, starttls: 'never', auth: { user: 'orb', password: secret }, ...more },
  });
  const call = async (method: string, path: string, body?: unknown, key?: string): Promise<Answer> => {
    const answer = await platform.call(method, path, body, key);
    shown.push(JSON.stringify(answer.body));
    return answer;
  };
  const conditional = async (method: string, path: string, header: Record<string, string>, body?: object) => {
    const response = await fetch(platform.url + path, {
      method,
      headers: { authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json', ...header },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, code: ((await response.text()) || '{}').match(/"code":"([a-z_]+)"/)?.[1] };
  };
  const start = async (home?: string): Promise<void> => {
    platform = await startPlatform({
      ...(home === undefined ? {} : { home }),
      platform: file(),
      onLog: (line) => lines.push(line),
    });
  };
  const execute = () => call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: mail });
  const activeProvider = async () => (await call('GET', `/providers/${orb}/status`)).body.active_provider;
  before(async () => {
    smtp = await startSmtp({ auth: { user: 'orb', pass: secret } });
    await start();
  });
  after(async () => {
    await platform?.stop();
    await smtp?.close();
  });

  it('is answered with what it did, and is shown without its secret, which is sealed', async () => {
    const put = await call('PUT', '/providers/relay', { ...smtpOf(), limits: { concurrency: 3 } });
    expect(put.status, JSON.stringify(put.body)).to.equal(201);
    expect(put.body.provider).to.include({
      name: 'relay',
      adapter: 'email/smtp',
      capability: 'email',
      origin: 'store',
    });
    expect(put.body.changes).to.deep.include({ orb_id: orb, provider: 'relay', change: 'added' });
    const found = await call('GET', '/providers/relay');
    expect(found.headers.get('etag'))
      .to.equal(put.headers.get('etag'))
      .and.to.match(/^"sha256:[0-9a-f]{64}"$/);
    expect(found.body).to.deep.include({
      config: { host: '127.0.0.1', port: smtp.port, starttls: 'never', auth: { user: 'orb' } },
      secrets: ['/auth/password'],
      limits: { concurrency: 3, queue: 256 },
      active_for: [],
    });
    const { settings } = (await call('GET', '/config')).body;
    expect(settings).to.deep.include({
      part: 'providers.relay',
      name: 'adapter',
      source: 'store',
      value: '"email/smtp"',
    });
  });

  it('is told apart from those of platform.json, which win', async () => {
    const { body } = await call('GET', '/providers?limit=100');
    const rows = body.orbs.find((one: { orb_id: string }) => one.orb_id === orb).providers;
    expect(rows.map(({ name, origin }: Record<string, string>) => [name, origin])).to.deep.equal([
      ['outbox', 'file'],
      ['relay', 'store'],
    ]);
    expect((await call('GET', '/providers/outbox')).body).to.deep.include({ origin: 'file', active_for: [orb] });
    for (const [method, sent] of [
      ['PUT', smtpOf()],
      ['DELETE', undefined],
    ] as const) {
      const refused = await call(method, '/providers/outbox', sent);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'defined_in_file']);
    }
  });

  it('is attested: the receipt verifies, and names the digest of the configuration', async () => {
    const { body: provider } = await call('GET', '/providers/relay');
    const { body } = await call('GET', `/receipts/${provider.receipt_id}`);
    expect(body.signature_valid).to.equal(true);
    expect(body.statement.predicateType).to.equal('urn:agent-orb:provider:v1');
    const { provider: name, facts } = body.statement.predicate;
    expect([name, facts.change, facts.adapter, facts.config_digest, facts.limits]).to.deep.equal([
      ...['relay', 'added', 'email/smtp', provider.config_digest],
      { concurrency: 3, queue: 256 },
    ]);
  });

  it('serves after a swap, and cannot be removed then', async () => {
    const swap = await call('POST', `/providers/${orb}/swap`, { provider: 'relay' });
    expect(swap.status, JSON.stringify(swap.body)).to.equal(200);
    const run = await execute();
    expect(run.status, JSON.stringify(run.body)).to.equal(200);
    expect(smtp.messages).to.have.length(1);
    const refused = await call('DELETE', '/providers/relay');
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'provider_in_use']);
    expect(refused.body.detail).to.include(orb);
    const other = await call('PUT', '/providers/relay', { adapter: 'echo/local' });
    expect([other.status, other.body.code]).to.deep.equal([409, 'provider_in_use']);
  });

  it('serves on after a reload of platform.json and after a restart', async () => {
    const reload = await call('POST', '/config/reload');
    expect([reload.status, reload.body.providers]).to.deep.equal([200, []]);
    expect(await activeProvider()).to.equal('relay');
    const { home } = platform;
    await platform.stop({ keep: true });
    await start(home);
    expect(await activeProvider()).to.equal('relay');
    expect((await execute()).status).to.equal(200);
    expect(smtp.messages).to.have.length(2);
  });

  it('is opened again when it changes, and not when nothing changed', async () => {
    const tag = (await call('GET', '/providers/relay')).headers.get('etag');
    const same = await call('PUT', '/providers/relay', { ...smtpOf(), limits: { concurrency: 3 } });
    expect([same.status, same.body.changes, same.headers.get('etag')]).to.deep.equal([200, [], tag]);
    const changed = await call('PUT', '/providers/relay', smtpOf({ max_connections: 2 }));
    expect(changed.status).to.equal(200);
    expect(changed.body.changes).to.deep.include({
      ...{ orb_id: orb, provider: 'relay', change: 'renewed' },
      generation: changed.body.changes[0].generation,
    });
    const { body } = await call('GET', `/receipts/${changed.body.provider.receipt_id}`);
    expect(body.statement.predicate.facts).to.include({
      change: 'changed',
      config_digest: changed.body.provider.config_digest,
    });
    expect(body.statement.predicate.facts.replaced).to.equal(same.body.provider.config_digest);
  });

  it('is changed only as the conditions of the request say', async () => {
    const path = '/providers/relay';
    const body = smtpOf();
    const rows = [
      ['PUT', { 'if-match': '"sha256:0"' }, 412],
      ['PUT', { 'if-none-match': '*' }, 412],
      ['DELETE', { 'if-match': '"sha256:0"' }, 412],
      ['PUT', { 'if-match': '*' }, 200],
    ] as const;
    for (const [method, header, status] of rows) {
      const answer = await conditional(method, path, header, method === 'PUT' ? body : undefined);
      expect(answer.status, `${method} ${JSON.stringify(header)}`).to.equal(status);
    }
    expect((await conditional('PUT', '/providers/none', { 'if-match': '*' }, body)).status).to.equal(412);
  });

  it('is not added or changed by a session, nor by a key without the scope', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    const headers = { ...ownPage, cookie };
    for (const [method, body] of [
      ['PUT', smtpOf()],
      ['DELETE', undefined],
    ] as const) {
      const asked = await browserCall(`${platform.url}/providers/relay`, { method, body, headers });
      expect([asked.status, asked.body.code]).to.deep.equal([403, 'key_required']);
    }
    const key = await platform.key({ scopes: ['providers:read', 'providers:swap', 'config:reload'] });
    const refused = await call('PUT', '/providers/relay', smtpOf(), key);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope']);
    expect((await call('GET', '/providers/relay', undefined, key)).status).to.equal(200);
  });

  it('is removed with its secret when it serves no Orb, which is attested too', async () => {
    expect((await call('POST', `/providers/${orb}/swap`, { provider: 'outbox' })).status).to.equal(200);
    const before = platform.taps.get('attest') ?? 0;
    expect((await call('DELETE', '/providers/relay')).status).to.equal(204);
    expect(platform.taps.get('attest')).to.equal(before + 1);
    expect((await call('GET', '/providers/relay')).body.code).to.equal('provider_not_found');
    expect((await call('DELETE', '/providers/relay')).body.code).to.equal('provider_not_found');
    expect((await call('POST', `/providers/${orb}/swap`, { provider: 'relay' })).body.code).to.equal(
      'invalid_provider',
    );
  });

  it('shows its secret nowhere: not in answers, logs, or files of the state', async () => {
    expect(shown.join('\n')).to.not.include(secret);
    expect(lines.join('\n')).to.not.include(secret);
    const files = readdirSync(platform.stateDir, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(files.length).to.be.greaterThan(1);
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(secret), name).to.equal(false);
  });
});
