import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { startSmtp, testCertificate, type SmtpReceiver } from '../../helpers/smtp.ts';

const orb = 'notify.email@1.0.0';
const inputs = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

describe('a swap to a real SMTP server', () => {
  let plain: SmtpReceiver;
  let closed: SmtpReceiver;
  let secure: SmtpReceiver;
  let platform: TestPlatform;
  before(async () => {
    [plain, closed, secure] = await Promise.all([
      startSmtp({ tls: 'none' }),
      startSmtp({ tls: 'none' }),
      startSmtp({ tls: 'implicit', auth: { user: 'orb', pass: 'right' } }),
    ]);
    await closed.close();
    const smtp = (config: object) => ({ adapter: 'email/smtp', config: { host: '127.0.0.1', ...config } });
    const login = (name: string) => ({ user: 'orb', password: { $env: name } });
    platform = await startPlatform({
      platform: {
        providers: {
          outbox: { adapter: 'email/outbox' },
          plain: smtp({ port: plain.port, starttls: 'never' }),
          refused: smtp({ port: closed.port, starttls: 'never' }),
          untrusted: smtp({ port: secure.port, secure: true, auth: login('RIGHT') }),
          unlucky: smtp({ port: secure.port, secure: true, ca: testCertificate, auth: login('WRONG') }),
          good: smtp({ port: secure.port, secure: true, ca: testCertificate, auth: login('RIGHT') }),
        },
        bindings: { [orb]: ['outbox'] },
      },
      env: { RIGHT: 'right', WRONG: 'wrong-password' },
    });
  });
  after(async () => {
    await platform.stop();
    await Promise.all([plain.close(), secure.close()]);
  });

  const swap = (provider: string): Promise<Answer> => platform.call('POST', `/providers/${orb}/swap`, { provider });
  const run = (): Promise<Answer> => platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs });

  for (const [provider, why] of [
    ['refused', 'refuses the connection'],
    ['untrusted', 'has a certificate nobody trusts'],
    ['unlucky', 'refuses the password'],
  ] as const) {
    it(`that ${why} leaves the old provider serving, says no secret, and is attested`, async () => {
      const routing = async () =>
        JSON.stringify({ ...(await platform.call('GET', `/providers/${orb}/status`)).body, last_swap: undefined });
      const before = await routing();
      const { status, body } = await swap(provider);
      expect([status, body.code]).to.deep.equal([502, 'probe_failed']);
      expect(JSON.stringify(body)).not.to.match(/wrong-password|right/);
      expect(await routing()).to.equal(before);
      expect((await run()).body.status).to.equal('completed');
      const { receipt_id } = (await platform.call('GET', `/swaps/${body.swap_id}`)).body;
      expect((await platform.call('GET', `/receipts/${receipt_id}`)).body.statement.predicate.facts).to.include({
        state: 'failed',
        to: provider,
      });
      expect([plain.messages.length, secure.messages.length]).to.deep.equal([0, 0]);
    });
  }

  it('that answers delivers from the next run on, and back again', async () => {
    expect((await swap('plain')).status).to.equal(200);
    expect((await run()).status).to.equal(200);
    expect(plain.messages).to.have.length(1);
    expect((await swap('good')).status).to.equal(200);
    expect((await run()).status).to.equal(200);
    expect([plain.messages.length, secure.messages.length]).to.deep.equal([1, 1]);
    expect((await platform.call('POST', `/providers/${orb}/rollback`)).body.to).to.equal('plain');
    expect((await run()).status).to.equal(200);
    expect(plain.messages).to.have.length(2);
  });
});
