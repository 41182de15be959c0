import { expect } from 'chai';
import { guardedConnect, type Endpoint } from '../../../kernel/net/outbound.ts';
import { BlockedAddress, guardedLookup, type Resolve } from '../../../kernel/net/lookup.ts';

const open: Resolve = async () => [
  { address: '93.184.215.14', family: 4 },
  { address: '2606:2800:21f::1', family: 6 },
];

async function lookedUp(resolve: Resolve, all: boolean): Promise<unknown[]> {
  return new Promise((resolved) => {
    guardedLookup(resolve)('api.example.com', { all }, (...result) => resolved(result));
  });
}

describe('the look-up of a guarded connection', () => {
  it('hands on what it has checked, in both forms sockets ask for', async () => {
    expect(await lookedUp(open, true)).to.deep.equal([null, await open('')]);
    expect(await lookedUp(open, false)).to.deep.equal([null, '93.184.215.14', 4]);
  });

  it('refuses a name whose addresses are not all public', async () => {
    const mixed: Resolve = async () => [...(await open('')), { address: '10.0.0.1', family: 4 }];
    for (const all of [true, false]) expect((await lookedUp(mixed, all))[0]).to.be.instanceOf(BlockedAddress);
  });

  it('takes no answer for an unknown name', async () => {
    expect((await lookedUp(async () => [], true))[0]).to.have.property('code', 'ENOTFOUND');
  });
});

describe('a guarded connection', () => {
  const opened: string[] = [];
  const attempt = async (hostname: string, port = '8443'): Promise<Error | null> => {
    opened.length = 0;
    const connect = guardedConnect<Endpoint>(
      { exempt: (target) => target.host === '[fd00::1]' && target.port === 8443 },
      open,
      () => (endpoint) => void opened.push(endpoint.hostname),
    );
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    connect({ hostname, port, protocol: 'https:' }, (...[error]) => resolve(error));
    if (opened.length > 0) resolve(null);
    return promise;
  };

  for (const literal of ['127.0.0.1', '::1', '[::1]', 'fd00::2'])
    it(`is not opened to ${literal}, which no look-up would see`, async () => {
      expect(await attempt(literal)).to.be.instanceOf(BlockedAddress);
      expect(opened).to.deep.equal([]);
    });

  it('is opened to an exempt literal, with brackets or without, on its port only', async () => {
    expect(await attempt('fd00::1')).to.equal(null);
    expect(await attempt('[fd00::1]')).to.equal(null);
    expect(await attempt('fd00::1', '')).to.be.instanceOf(BlockedAddress);
  });
});
