import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { openConnections } from '../../../../providers/http/exchange/connections.ts';
import { createAllowList } from '../../../../kernel/net/allow.ts';
import { createBed } from '../bed.ts';

describe('the connections to targets', () => {
  const bed = createBed();

  it('are cut when they are closed: a call under way ends, a later one is not sent', async () => {
    const target = await bed.target(() => undefined);
    const allow = createAllowList([{ host: '127.0.0.1', port: target.port, private: true }]);
    const times = { connect_timeout_ms: 5000, timeout_ms: 60_000 };
    const settings = { max_connections: 1, max_body_bytes: 100, ...times };
    const connections = await openConnections(settings, allow, () => Promise.reject(new Error('no names here')));
    const request = { origin: target.url, path: '/', method: 'GET', headers: {}, body: undefined } as const;
    const call = async (): Promise<unknown> => {
      const error = await connections.call(request, new AbortController().signal).catch((thrown: unknown) => thrown);
      return error instanceof ProviderError ? error.outcome : error;
    };
    const reached = target.reached();
    const calling = call();
    await reached;
    await connections.close();
    expect([await calling, await call()]).to.deep.equal(['unknown', 'not_sent']);
    await target.quiet();
  });
});
