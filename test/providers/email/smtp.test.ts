import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import smtp from '../../../providers/email/smtp.ts';
import { conformance, type Fault } from '../../helpers/conformance.ts';
import { startSmtp, testCertificate, type Misbehaviour, type SmtpReceiver } from '../../helpers/smtp.ts';
import { auth, inputs, serverAuth } from './smtp-bed.ts';

describe('email/smtp', () => {
  describe('as any adapter', () => {
    let server: SmtpReceiver;
    before(async () => {
      server = await startSmtp({ tls: 'starttls', auth: serverAuth });
    });
    after(() => server.close());
    let delivered = 0;
    beforeEach(() => {
      delivered = server.messages.length;
    });
    const config = (): object => ({ host: '127.0.0.1', port: server.port, auth, ca: testCertificate });
    const misbehaving = (how: Misbehaviour): Pick<Fault, 'arrange' | 'restore'> => ({
      arrange: () => void Object.assign(server.misbehaviour, how),
      restore: () => Object.keys(how).forEach((name) => delete server.misbehaviour[name as keyof Misbehaviour]),
    });

    conformance({
      adapter: smtp,
      orbId: 'notify.email@1.0.0',
      config,
      inputs,
      secrets: [auth.password],
      receiver: () => ({
        effects: () => server.messages.length - delivered,
        calls: () => server.attempts,
        quiet: () => server.quiet(),
      }),
      faults: [
        {
          name: 'a wrong password',
          outcome: 'provider_fault',
          phase: 'auth',
          calls: 0,
          arrange: () => ({ ...config(), auth: { ...auth, password: `${auth.password}!` } }),
        },
        {
          name: 'an untrusted certificate',
          outcome: 'not_sent',
          phase: 'tls',
          calls: 0,
          arrange: () => ({ host: '127.0.0.1', port: server.port, auth }),
        },
        {
          name: 'no server',
          outcome: 'not_sent',
          phase: 'connect',
          calls: 0,
          arrange: async () => ({ ...config(), port: await closedPort() }),
        },
        {
          name: 'a name that cannot exist',
          outcome: 'not_sent',
          phase: 'dns',
          calls: 0,
          arrange: () => ({ ...config(), host: `${'x'.repeat(64)}.invalid` }),
        },
        {
          name: 'a greeting of 421',
          outcome: 'throttled',
          phase: 'connect',
          calls: 0,
          ...misbehaving({ connect: { code: 421, text: 'too many connections' } }),
        },
        {
          name: 'a greeting of 554',
          outcome: 'provider_fault',
          phase: 'connect',
          calls: 0,
          ...misbehaving({ connect: { code: 554, text: 'go away' } }),
        },
        {
          name: 'no greeting but a cut connection',
          outcome: 'not_sent',
          phase: 'connect',
          calls: 0,
          ...misbehaving({ connect: 'drop' }),
        },
        { name: 'MAIL 451', outcome: 'throttled', calls: 1, ...misbehaving({ mail: { code: 451, text: 'later' } }) },
        {
          name: 'MAIL 550 5.7.1',
          outcome: 'provider_fault',
          calls: 1,
          ...misbehaving({ mail: { code: 550, text: '5.7.1 sender not allowed' } }),
        },
        {
          name: 'MAIL 553',
          outcome: 'rejected',
          calls: 1,
          ...misbehaving({ mail: { code: 553, text: 'bad sender' } }),
        },
        { name: 'a connection cut at MAIL', outcome: 'not_sent', calls: 1, ...misbehaving({ mail: 'drop' }) },
        {
          name: 'RCPT 550',
          outcome: 'rejected',
          calls: 1,
          ...misbehaving({ rcpt: () => ({ code: 550, text: '5.1.1 no such user' }) }),
        },
        {
          name: 'RCPT 450',
          outcome: 'throttled',
          calls: 1,
          ...misbehaving({ rcpt: () => ({ code: 450, text: '4.2.0 greylisted' }) }),
        },
        {
          name: 'RCPT 530',
          outcome: 'provider_fault',
          calls: 1,
          ...misbehaving({ rcpt: () => ({ code: 530, text: 'log in first' }) }),
        },
        {
          name: '554 after the message',
          outcome: 'rejected',
          calls: 1,
          ...misbehaving({ data: { code: 554, text: '5.6.0 I do not like it' } }),
        },
        {
          name: '452 after the message',
          outcome: 'throttled',
          calls: 1,
          ...misbehaving({ data: { code: 452, text: 'disk full' } }),
        },
        {
          name: '503 after the message',
          outcome: 'not_sent',
          calls: 1,
          ...misbehaving({ data: { code: 503, text: 'bad sequence' } }),
        },
        {
          name: 'a connection cut after the message',
          outcome: 'unknown',
          phase: 'data',
          calls: 1,
          ...misbehaving({ data: 'drop' }),
        },
        {
          name: 'bad inputs',
          outcome: 'rejected',
          calls: 0,
          inputs: { ...inputs, to: 'nobody' },
          arrange: () => undefined,
        },
      ],
      hang: () => {
        server.misbehaviour.data = 'hang';
        const stuck = server.reached('data');
        return { stuck, outcome: 'unknown', restore: () => delete server.misbehaviour.data };
      },
    });
  });

  it('refuses settings that do not fit', () => {
    const check = compile(smtp.config);
    expect(check({ host: 'a', port: 25 })).to.deep.equal([]);
    for (const bad of [
      { host: 'a b', port: 25 },
      { host: 'a' },
      { host: 'a', port: 0 },
      { host: 'a', port: 25, name: 'a\r\nb' },
      { host: 'a', port: 25, starttls: 'maybe' },
      { host: 'a', port: 25, auth: { user: 'x' } },
      { host: 'a', port: 25, pool: true },
    ])
      expect(check(structuredClone(bad)), JSON.stringify(bad)).not.to.deep.equal([]);
  });

  it('requires TLS when nothing is said', () => {
    const config: Record<string, unknown> = { host: 'a', port: 25 };
    compile(smtp.config)(config);
    expect(config).to.include({ starttls: 'required', secure: false, max_connections: 5 });
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
