import { expect } from 'chai';
import { testCertificate } from '../../helpers/smtp.ts';
import { auth, createBed, failure, noSignal, plain, send, serverAuth } from './smtp-bed.ts';

describe('email/smtp is careful', () => {
  const { start, open } = createBed();

  describe('over TLS', () => {
    it('upgrades by STARTTLS without being told to', async () => {
      const server = await start({ tls: 'starttls' });
      await send(await open({ host: '127.0.0.1', port: server.port, ca: testCertificate }));
      expect(server.messages[0]?.secure).to.equal(true);
    });

    it('speaks implicit TLS, by name and by address', async () => {
      const server = await start({ tls: 'implicit' });
      for (const host of ['127.0.0.1', 'localhost'])
        await send(await open({ host, port: server.port, secure: true, ca: testCertificate }));
      expect(server.messages.map(({ secure }) => secure)).to.deep.equal([true, true]);
    });

    it('sends nothing when the server offers no STARTTLS', async () => {
      const server = await start();
      const error = await failure(send(await open({ host: '127.0.0.1', port: server.port })));
      expect([error.outcome, error.phase]).to.deep.equal(['not_sent', 'tls']);
      expect(server.attempts).to.equal(0);
    });

    for (const tls of ['starttls', 'implicit'] as const)
      it(`sends nothing to a server whose certificate is not trusted (${tls})`, async () => {
        const server = await start({ tls });
        const handle = await open({ host: '127.0.0.1', port: server.port, secure: tls === 'implicit' });
        const error = await failure(send(handle));
        expect([error.outcome, error.phase]).to.deep.equal(['not_sent', 'tls']);
        expect(error.message).to.include('DEPTH_ZERO_SELF_SIGNED_CERT');
        expect(server.attempts).to.equal(0);
      });

    it('goes on in the clear when TLS is opportunistic, but keeps the password', async () => {
      const server = await start({ auth: serverAuth });
      const open_ = { host: '127.0.0.1', port: server.port, starttls: 'opportunistic' };
      const error = await failure(send(await open({ ...open_, auth })));
      expect([error.outcome, error.phase]).to.deep.equal(['not_sent', 'tls']);
      const other = await start();
      await send(await open({ ...open_, port: other.port }));
      expect(other.messages[0]?.secure).to.equal(false);
    });

    it('is loaded from PEM text only: a wrong one trusts nobody', async () => {
      const server = await start({ tls: 'implicit' });
      const handle = await open({ host: '127.0.0.1', port: server.port, secure: true, ca: 'not a certificate' });
      expect((await failure(send(handle))).outcome).to.equal('not_sent');
    });
  });

  describe('with a login', () => {
    it('logs in', async () => {
      const server = await start({ auth: serverAuth });
      await send(await open({ ...plain, port: server.port, auth }));
      expect(server.messages[0]?.user).to.equal(auth.user);
    });

    it('does not send as nobody when the server knows no login', async () => {
      const server = await start();
      const error = await failure(send(await open({ ...plain, port: server.port, auth })));
      expect(error.outcome).to.equal('provider_fault');
      expect(server.attempts).to.equal(0);
    });

    it('does not pass on what the server says of the login', async () => {
      const server = await start({ auth: { user: auth.user, pass: 'another' } });
      const error = await failure(send(await open({ ...plain, port: server.port, auth })));
      expect(error.message).to.equal('the mail server refused the login (535 5.7.8)');
      expect(error.cause).to.equal(undefined);
    });

    it('fails the probe when the password is wrong, and passes it without an effect when it is right', async () => {
      const server = await start({ auth: serverAuth });
      const wrong = await open({ ...plain, port: server.port, auth: { ...auth, password: 'wrong' } });
      expect((await failure(wrong.probe?.(noSignal()))).outcome).to.equal('provider_fault');
      await (await open({ ...plain, port: server.port, auth })).probe?.(noSignal());
      await server.quiet();
      expect(server.attempts).to.equal(0);
    });
  });
});
