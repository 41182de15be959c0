import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resources } from '../../../../plugins/kit/conformance/leak.ts';

describe('what keeps the process alive', () => {
  it('is a server, not a turn that is about to come', async () => {
    const before = resources();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    setImmediate(() => undefined);
    const now = resources();
    expect(now.has('Immediate')).to.equal(false);
    expect((now.get('TCPServerWrap') ?? 0) - (before.get('TCPServerWrap') ?? 0)).to.equal(1);
    await new Promise((resolve) => server.close(resolve));
  });
});
