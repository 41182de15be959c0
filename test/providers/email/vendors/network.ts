import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { failure } from '../smtp-bed.ts';
import type { VendorBed } from './bed.ts';
import { createStage, send } from './stage.ts';

/** Declares what every adapter over HTTP does when the network fails. */
export function survivesNetwork(bed: VendorBed): void {
  const { vendor: start, open } = createStage(bed);
  const brief = { response_timeout_ms: 200, connect_timeout_ms: 200 };
  // SendGrid's id comes in a header, so half a body is enough there.
  const idInHeader = bed.success.body === undefined;

  for (const fault of ['stall', 'drop'] as const)
    it(`tells an answer that breaks off (${fault}) from an answer`, async () => {
      const vendor = await start();
      vendor.fault = fault;
      const call = send(await open({ ...bed.config(vendor.url), ...brief }));
      if (idInHeader) expect(await call).to.deep.equal({ message_id: bed.id });
      else expect((await failure(call)).outcome).to.equal('unknown');
      expect([vendor.posts.length, vendor.taken]).to.deep.equal([1, 1]);
    });

  it('gives up by itself on a vendor that is silent', async () => {
    const vendor = await start();
    vendor.fault = 'hang';
    const error = await failure(send(await open({ ...bed.config(vendor.url), ...brief })));
    expect([error.outcome, error.phase]).to.deep.equal(['unknown', 'data']);
  });

  it('knows that the deadline came after the request was written', async () => {
    const vendor = await start();
    vendor.fault = 'hang';
    const deadline = new AbortController();
    const reached = vendor.reached();
    const call = failure(send(await open(bed.config(vendor.url)), { signal: deadline.signal }));
    await reached;
    deadline.abort();
    expect([(await call).outcome, (await call).phase]).to.deep.equal(['unknown', 'deadline']);
  });

  it('knows that a call that waits for a connection was not written, and never writes it', async () => {
    const vendor = await start();
    const handle = await open({ ...bed.config(vendor.url), max_connections: 1 });
    vendor.fault = 'hang';
    const first = new AbortController();
    const reached = vendor.reached();
    const stuck = failure(send(handle, { signal: first.signal }));
    await reached;
    const second = new AbortController();
    const waiting = failure(send(handle, { signal: second.signal }));
    second.abort();
    expect([(await waiting).outcome, (await waiting).phase]).to.deep.equal(['not_sent', 'deadline']);
    vendor.fault = undefined;
    first.abort();
    await stuck;
    await send(handle);
    expect(vendor.posts, 'the first and the last').to.have.length(2);
  });

  it('sends nothing to a vendor whose certificate is not trusted', async () => {
    const vendor = await start({ tls: true });
    const error = await failure(send(await open(bed.config(vendor.url))));
    expect([error.outcome, error.phase]).to.deep.equal(['not_sent', 'tls']);
    expect(vendor.posts).to.have.length(0);
  });

  it('ends the calls under way when it is closed', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    vendor.fault = 'hang';
    const reached = vendor.reached();
    const call = failure(send(handle));
    await reached;
    await handle.close?.();
    expect((await call).outcome).to.equal('unknown');
    await vendor.quiet();
    expect((await failure(send(handle))).outcome).to.equal('not_sent');
  });

  it('uses a new connection when the vendor closed the kept one', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    await send(handle);
    vendor.drop();
    await vendor.quiet();
    await send(handle);
    expect([vendor.taken, vendor.accepted]).to.deep.equal([2, 2]);
  });

  describe('before TLS stands', () => {
    let silent: { url: string; connected: () => Promise<void>; close: () => Promise<void> };
    beforeEach(async () => {
      silent = await startSilent();
    });
    afterEach(() => silent.close());

    it('knows that nothing was written when the deadline passes', async () => {
      const deadline = new AbortController();
      const connected = silent.connected();
      const call = failure(send(await open(bed.config(silent.url)), { signal: deadline.signal }));
      await connected;
      deadline.abort();
      expect([(await call).outcome, (await call).phase]).to.deep.equal(['not_sent', 'deadline']);
    });

    it('gives up by itself', async () => {
      const error = await failure(send(await open({ ...bed.config(silent.url), ...brief })));
      expect([error.outcome, error.phase]).to.deep.equal(['not_sent', 'connect']);
    });

    it('does not wait for the connection on close', async () => {
      const handle = await open(bed.config(silent.url));
      const connected = silent.connected();
      const call = failure(send(handle));
      await connected;
      await handle.close?.();
      expect((await call).outcome).to.equal('not_sent');
    });
  });

  it('repeats no call whose kept connection breaks', async () => {
    const vendor = await start();
    const handle = await open(bed.config(vendor.url));
    await send(handle);
    vendor.fault = 'lost';
    expect((await failure(send(handle))).outcome).to.equal('unknown');
    vendor.fault = undefined;
    await send(handle);
    expect([vendor.posts.length, vendor.taken]).to.deep.equal([3, 3]);
  });
}

/** A server that takes connections and says nothing. */
async function startSilent(): Promise<{ url: string; connected: () => Promise<void>; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: async () => void (await once(server, 'connection')),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
