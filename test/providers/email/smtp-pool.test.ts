import { expect } from 'chai';
import type { ProviderError } from '../../../kernel/adapter.ts';
import { parseMail } from './mail.ts';
import { createBed, failure, plain, send } from './smtp-bed.ts';

describe('email/smtp waits', () => {
  const { start, open } = createBed();

  describe('with kept connections', () => {
    it('uses one connection for one message after another', async () => {
      const server = await start();
      const handle = await open({ ...plain, port: server.port });
      for (const key of ['a', 'b', 'c']) await send(handle, { key: key });
      expect([server.messages.length, server.accepted]).to.deep.equal([3, 1]);
    });

    it('opens no more than max_connections, and sends all that wait', async () => {
      const server = await start();
      const handle = await open({ ...plain, port: server.port, max_connections: 2 });
      await Promise.all(Array.from({ length: 12 }, (_, n) => send(handle, { key: `n${n}x` })));
      expect(server.messages).to.have.length(12);
      expect(new Set(server.messages.map(({ raw }) => parseMail(raw).headers['message-id'])).size).to.equal(12);
      expect(server.accepted).to.be.at.most(2);
    });

    it('says not_sent when the deadline passes while waiting for a connection', async () => {
      const server = await start({ misbehaviour: { mail: 'hang' } });
      const handle = await open({ ...plain, port: server.port, max_connections: 1 });
      const [first, second] = [new AbortController(), new AbortController()];
      const stuck = server.reached('mail');
      const holding = failure(send(handle, { signal: first.signal }));
      await stuck;
      const waiting = failure(send(handle, { signal: second.signal }));
      second.abort();
      expect([(await waiting).outcome, (await waiting).phase]).to.deep.equal(['not_sent', 'pool']);
      first.abort();
      expect([(await holding).outcome, (await holding).phase]).to.deep.equal(['not_sent', 'deadline']);
      delete server.misbehaviour.mail;
      await send(handle);
      expect(server.messages).to.have.length(1);
    });

    it('never sends again by itself when a kept connection turns out to be dead', async () => {
      const server = await start();
      const handle = await open({ ...plain, port: server.port });
      await send(handle, { key: 'a' });
      server.misbehaviour.mail = 'drop';
      const error = await failure(send(handle, { key: 'b' }));
      expect(error.outcome).to.equal('not_sent');
      expect([server.attempts, server.accepted, server.messages.length]).to.deep.equal([2, 1, 1]);
    });

    it('opens a new connection after the server closed an idle one', async () => {
      const server = await start();
      const handle = await open({ ...plain, port: server.port });
      await send(handle, { key: 'a' });
      const quiet = server.quiet();
      server.drop();
      await quiet;
      // The other end learns of it in a later turn of the loop; until then the kept connection fails as not_sent.
      const results = await settle(() => send(handle, { key: 'b' }));
      expect(results.filter((outcome) => outcome !== 'not_sent')).to.deep.equal(['accepted']);
      expect(server.messages).to.have.length(2);
    });

    it('closes an idle connection before the server would', async () => {
      const server = await start();
      const handle = await open({ ...plain, port: server.port, socket_timeout_ms: 400 });
      await send(handle);
      await server.quiet();
      await send(handle);
      expect([server.messages.length, server.accepted]).to.deep.equal([2, 2]);
    });

    it('leaves no connection open on close', async () => {
      const server = await start();
      const handle = await open({ ...plain, port: server.port, max_connections: 3 });
      await Promise.all(['a', 'b', 'c'].map((key) => send(handle, { key: key })));
      expect(server.open).to.equal(3);
      await handle.close?.();
      await server.quiet();
    });
  });

  describe('to a server that hangs', () => {
    const points = [
      { point: 'connect', phase: 'deadline', outcome: 'not_sent' },
      { point: 'mail', phase: 'deadline', outcome: 'not_sent' },
      { point: 'data', phase: 'deadline', outcome: 'unknown' },
    ] as const;
    for (const { point, phase, outcome } of points) {
      it(`settles as ${outcome} when the signal ends a wait at ${point}`, async () => {
        const server = await start({ misbehaviour: { [point]: 'hang' } });
        const handle = await open({ ...plain, port: server.port });
        const deadline = new AbortController();
        const stuck = server.reached(point);
        const call = failure(send(handle, { signal: deadline.signal }));
        await stuck;
        deadline.abort();
        expect([(await call).outcome, (await call).phase]).to.deep.equal([outcome, phase]);
        await server.quiet();
        expect(server.messages).to.have.length(0);
      });

      it(`settles as ${outcome} by its own timeout at ${point}`, async () => {
        const server = await start({ misbehaviour: { [point]: 'hang' } });
        const handle = await open({
          ...plain,
          port: server.port,
          connection_timeout_ms: 200,
          socket_timeout_ms: 200,
        });
        expect((await failure(send(handle))).outcome).to.equal(outcome);
      });
    }

    it('ends the probe with the signal', async () => {
      const server = await start({ misbehaviour: { connect: 'hang' } });
      const handle = await open({ ...plain, port: server.port });
      const deadline = new AbortController();
      const stuck = server.reached('connect');
      const call = failure(handle.probe?.(deadline.signal));
      await stuck;
      deadline.abort();
      expect((await call).outcome).to.equal('not_sent');
    });

    it('does not wait for it on close', async () => {
      const server = await start({ misbehaviour: { data: 'hang' } });
      const handle = await open({ ...plain, port: server.port });
      const stuck = server.reached('data');
      const call = failure(send(handle));
      await stuck;
      await handle.close?.();
      expect((await call).outcome).to.equal('unknown');
      await server.quiet();
    });
  });
});

/** Calls until a call is accepted, three times at most; answers the outcomes. */
async function settle(call: () => Promise<unknown>): Promise<string[]> {
  const outcomes: string[] = [];
  while (outcomes.length < 3 && outcomes.at(-1) !== 'accepted')
    outcomes.push(
      await call().then(
        () => 'accepted',
        (error: unknown) => (error as ProviderError).outcome,
      ),
    );
  return outcomes;
}
