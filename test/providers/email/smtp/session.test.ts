import { expect } from 'chai';
import { auth, createBed, failure, plain, send, serverAuth } from '../smtp-bed.ts';

describe('email/smtp sessions', () => {
  const { start, open } = createBed();
  // So long that nothing but the end of the session closes its connection.
  const patient = { ...plain, socket_timeout_ms: 600_000 };
  const refusals = {
    mail: { code: 550, text: '5.1.0 no' },
    data: { code: 554, text: '5.6.0 no' },
    rcpt: () => ({ code: 550, text: '5.1.1 no such user' }),
  } as const;

  for (const point of ['mail', 'rcpt', 'data'] as const)
    it(`are not used again after a refusal at ${point}`, async () => {
      const server = await start({ misbehaviour: { [point]: refusals[point] } });
      const handle = await open({ ...patient, port: server.port, max_connections: 1 });
      expect((await failure(send(handle, { key: 'a' }))).outcome).to.equal('rejected');
      await server.quiet();
      delete server.misbehaviour[point];
      await send(handle, { key: 'b' });
      expect([server.accepted, server.messages.length]).to.deep.equal([2, 1]);
    });

  for (const point of ['mail', 'rcpt'] as const)
    it(`that were kept and are closed by 421 at ${point} give way to a new one, which sends the message once`, async () => {
      const server = await start();
      const handle = await open({ ...patient, port: server.port, max_connections: 1 });
      await send(handle, { key: 'a' });
      const closing = { code: 421, text: '4.4.2 idle for too long' };
      let refusals = 1;
      const next = () => (refusals-- > 0 ? closing : undefined);
      if (point === 'rcpt') server.misbehaviour.rcpt = next;
      else Object.defineProperty(server.misbehaviour, 'mail', { configurable: true, get: next });
      await send(handle, { key: 'b' });
      expect([server.accepted, server.messages.length]).to.deep.equal([2, 2]);
    });

  it('that are new and closed by 421 are a server that asks to come later', async () => {
    const server = await start({ misbehaviour: { rcpt: () => ({ code: 421, text: '4.3.2 not now' }) } });
    const handle = await open({ ...patient, port: server.port, max_connections: 1 });
    const { outcome, phase } = await failure(send(handle));
    expect([outcome, phase, server.accepted, server.messages.length]).to.deep.equal(['throttled', 'connect', 1, 0]);
  });

  it('that were kept do not send a message again that 421 answered', async () => {
    const server = await start();
    const handle = await open({ ...patient, port: server.port, max_connections: 1 });
    await send(handle, { key: 'a' });
    server.misbehaviour.data = { code: 421, text: '4.3.2 closing' };
    const { outcome, phase } = await failure(send(handle, { key: 'b' }));
    expect([outcome, phase, server.accepted]).to.deep.equal(['throttled', 'data', 1]);
  });

  it('hold on to nothing of a message that is sent', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error): number => warnings.push(name);
    const server = await start();
    const handle = await open({ ...patient, port: server.port, max_connections: 1 });
    process.on('warning', warn);
    try {
      // One more than the listeners that an emitter may have before the runtime suspects a leak.
      for (let at = 0; at < 11; at++) await send(handle, { key: `k${at}` });
    } finally {
      process.off('warning', warn);
    }
    expect([server.accepted, warnings]).to.deep.equal([1, []]);
  });

  it('leave no connection behind when the login is refused', async () => {
    const server = await start({ tls: 'none', auth: serverAuth });
    const handle = await open({ ...patient, port: server.port, auth: { ...auth, password: 'wrong' } });
    expect((await failure(handle.probe?.(new AbortController().signal))).outcome).to.equal('provider_fault');
    await server.quiet();
  });

  it('connect to nobody once the deadline has passed', async () => {
    const server = await start();
    const handle = await open({ ...patient, port: server.port });
    const { outcome, phase } = await failure(handle.probe?.(AbortSignal.abort()));
    expect([outcome, phase, server.accepted]).to.deep.equal(['not_sent', 'deadline', 0]);
  });
});
