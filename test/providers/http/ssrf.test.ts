import { expect } from 'chai';
import type { Resolve } from '../../../kernel/net/lookup.ts';
import { allowing, call, createBed, failure, says } from './bed.ts';

type Entry = Readonly<Record<string, unknown>>;

/** One way in. Whatever stands on the list, no connection may come of it. */
interface Row {
  readonly name: string;
  readonly url: (port: number) => string;
  readonly allow: (port: number) => readonly Entry[];
  readonly resolve?: Resolve;
}

const literals = [
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '10.0.0.1', '100.64.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1'],
  ...['198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[::7f00:1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  ...['[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[ff02::1]'],
];

// The plain spelling is exempt: only the spelling keeps these from arriving.
const spellings = [
  ...['http://2130706433', 'http://017700000001', 'http://0x7f000001', 'http://0x7F.1', 'http://127.1'],
  ...['http://0177.0.0.1', 'http://127.0.0.01', 'http://127.0.0.1.', 'http://127.0.0.1..', 'http://%31%32%37.0.0.1'],
  ...['http://user@127.0.0.1', 'http://user:word@127.0.0.1', 'http://@127.0.0.1', 'http://:@127.0.0.1'],
  ...['http://①②⑦.0.0.1', 'http://１２７.0.0.1', 'http://127。0。0。1', 'http://127.0.0.1\u00ad'],
  ...['http:127.0.0.1', 'http:/127.0.0.1', 'http:///127.0.0.1', 'http:\\\\127.0.0.1', '//127.0.0.1', '127.0.0.1'],
  ...[' http://127.0.0.1', 'ht\ntp://127.0.0.1', 'http://127.0\t.0.1', 'http://127.0.0.1\\@a.test'],
  ...['ftp://127.0.0.1', 'file://127.0.0.1', 'ws://127.0.0.1', 'unix://127.0.0.1'],
];

const loopbackNames: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const answers: Readonly<Record<string, Resolve>> = {
  loopback: loopbackNames,
  'IPv6 loopback': async () => [{ address: '::1', family: 6 }],
  'mapped loopback': async () => [{ address: '::ffff:127.0.0.1', family: 6 }],
  'the unspecified address': async () => [{ address: '0.0.0.0', family: 4 }],
  'RFC 1918': async () => [{ address: '10.1.2.3', family: 4 }],
  'the metadata service': async () => [{ address: '169.254.169.254', family: 4 }],
  CGNAT: async () => [{ address: '100.100.100.200', family: 4 }],
  ULA: async () => [{ address: 'fd00::1', family: 6 }],
  'NAT64 of loopback': async () => [{ address: '64:ff9b::7f00:1', family: 6 }],
  'a public address and loopback': async () => [
    { address: '93.184.215.14', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
  'no address at all but text': async () => [{ address: 'localhost', family: 4 }],
};

const rows: readonly Row[] = [
  ...literals.map((host) => ({
    name: `the listed literal ${host}`,
    url: (port: number) => `http://${host}:${port}/`,
    allow: (port: number) => [{ host, port, plain: true }],
  })),
  ...spellings.map((start) => ({
    name: `the spelling ${JSON.stringify(start)}`,
    url: (port: number) => `${start}:${port}/`,
    allow: (port: number) => [
      { host: '127.0.0.1', port, private: true },
      { host: 'a.test', port, plain: true },
    ],
  })),
  ...Object.entries(answers).map(([answer, resolve]) => ({
    name: `a listed name that resolves to ${answer}`,
    url: (port: number) => `http://api.example.com:${port}/`,
    allow: (port: number) => [{ host: 'api.example.com', port, plain: true }],
    resolve,
  })),
  {
    name: 'a listed literal over TLS',
    url: (port) => `https://127.0.0.1:${port}/`,
    allow: (port) => [{ host: '127.0.0.1', port }],
  },
  {
    name: 'a listed name over TLS that resolves to loopback',
    url: (port) => `https://api.example.com:${port}/`,
    allow: (port) => [{ host: 'api.example.com', port }],
    resolve: loopbackNames,
  },
  {
    name: 'localhost by the system, listed but not private',
    url: (port) => `http://LOCALHOST:${port}/`,
    allow: (port) => [{ host: 'localhost', port, plain: true }],
  },
  {
    name: 'a name under a wildcard that resolves to loopback',
    url: (port) => `http://a.b.example.com:${port}/`,
    allow: (port) => [{ host: '*.example.com', port, plain: true }],
    resolve: loopbackNames,
  },
  {
    name: 'a host that is not listed',
    url: (port) => `http://localhost:${port}/`,
    allow: (port) => [{ host: '127.0.0.1', port, private: true }],
  },
  {
    name: 'the apex of a wildcard',
    url: (port) => `http://example.com:${port}/`,
    allow: (port) => [{ host: '*.example.com', port, plain: true }],
    resolve: loopbackNames,
  },
  {
    name: 'a name that only ends like a listed one',
    url: (port) => `http://evilexample.com:${port}/`,
    allow: (port) => [
      { host: 'example.com', port, private: true, plain: true },
      { host: '*.example.com', port, plain: true },
    ],
    resolve: loopbackNames,
  },
  {
    name: 'a listed name with a final dot',
    url: (port) => `http://api.example.com.:${port}/`,
    allow: (port) => [{ host: 'api.example.com', port, private: true, plain: true }],
    resolve: loopbackNames,
  },
  {
    name: 'an IDN whose ASCII form is listed',
    url: (port) => `http://bücher.example.com:${port}/`,
    allow: (port) => [{ host: 'xn--bcher-kva.example.com', port, private: true, plain: true }],
    resolve: loopbackNames,
  },
  {
    name: 'a port of a private host that is listed without one',
    url: (port) => `http://127.0.0.1:${port}/`,
    allow: () => [{ host: '127.0.0.1', private: true, plain: true }],
  },
  ...['/a\r\nX-B: c', '/a\tb', '/a b', '/a\\b', '/a\0', '/\ud800', '/'.padEnd(8192, 'x')].map((path) => ({
    name: `an allowed host with the path ${JSON.stringify(path).slice(0, 20)}`,
    url: (port: number) => `http://127.0.0.1:${port}${path}`,
    allow: (port: number) => [{ host: '127.0.0.1', port, private: true }],
  })),
  {
    name: 'another port of a private host',
    url: (port) => `http://127.0.0.1:${port}/`,
    allow: (port) => [{ host: '127.0.0.1', port: port === 65535 ? 65534 : port + 1, private: true }],
  },
  {
    name: 'another port of a private host, which a wildcard lists',
    url: (port) => `http://in.example.com:${port}/`,
    allow: (port) => [
      { host: 'in.example.com', port: port === 65535 ? 65534 : port + 1, private: true, plain: true },
      { host: '*.example.com', port, plain: true },
    ],
    resolve: loopbackNames,
  },
  {
    name: 'another name than the private one, at the same address',
    url: (port) => `http://b.example.com:${port}/`,
    allow: (port) => [
      { host: 'a.example.com', port, private: true, plain: true },
      { host: 'b.example.com', port, plain: true },
    ],
    resolve: loopbackNames,
  },
  {
    name: 'plain HTTP to a private name that is not loopback itself',
    url: (port) => `http://in.example.com:${port}/`,
    allow: (port) => [{ host: 'in.example.com', port, private: true }],
    resolve: loopbackNames,
  },
];

describe('the guard against forged requests', () => {
  const bed = createBed();

  for (const { name, url, allow, resolve } of rows)
    it(`refuses before a byte leaves: ${name}`, async () => {
      const target = await bed.target(undefined, true);
      const handle = await bed.open({ allow: allow(target.port) }, resolve);
      for (const method of ['GET', 'POST']) {
        const error = await failure(call(handle, { url: url(target.port), method }));
        expect([error.outcome, error.phase]).to.deep.equal(['rejected', 'guard']);
        expect(error.message).not.to.match(/\d+\.\d+|::|example/);
      }
      expect(await target.acceptedBefore()).to.equal(0);
    });

  for (const [status, method] of [
    [301, 'GET'],
    [302, 'HEAD'],
    [303, 'POST'],
    [307, 'PUT'],
    [308, 'DELETE'],
  ] as const)
    it(`answers a ${status} and goes nowhere`, async () => {
      const inner = await bed.target();
      const outer = await bed.target(says(status, { location: `${inner.url}/secret` }));
      const handle = await bed.open({ allow: [...allowing(outer).allow, ...allowing(inner).allow] });
      const outputs = await call(handle, { url: outer.url, method });
      expect(outputs).to.deep.include({ status, body: '' });
      expect(outputs['headers']).to.deep.include({ location: `${inner.url}/secret` });
      expect(await inner.acceptedBefore()).to.equal(0);
    });

  it('connects to the address it has checked: a name is resolved once, and a later answer counts for nothing', async () => {
    const target = await bed.target();
    const asked: string[] = [];
    const resolve: Resolve = async (hostname) => {
      asked.push(hostname);
      return [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }];
    };
    const entry = { host: 'rebind.example.com', port: target.port, private: true, plain: true };
    const handle = await bed.open({ allow: [entry] }, resolve);
    const url = `http://rebind.example.com:${target.port}/`;
    expect(await call(handle, { url })).to.deep.include({ status: 200, body: 'ok' });
    expect(asked).to.deep.equal(['rebind.example.com']);
    expect(target.requests[0]?.lines).to.include(`host: rebind.example.com:${target.port}`);
  });

  it('checks each connection again: what was public before is refused when it turns private', async () => {
    const target = await bed.target(undefined, true);
    let turn = 0;
    const resolve: Resolve = async () => {
      turn += 1;
      // The first answer leads to no connection: the name is unknown then.
      if (turn === 1) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const handle = await bed.open({ allow: [{ host: 'a.example.com', port: target.port, plain: true }] }, resolve);
    const url = `http://a.example.com:${target.port}/`;
    const first = await failure(call(handle, { url }));
    expect([first.outcome, first.phase]).to.deep.equal(['not_sent', 'dns']);
    expect((await failure(call(handle, { url }))).outcome).to.equal('rejected');
    expect(await target.acceptedBefore()).to.equal(0);
  });

  it('lets exactly the private host and port through', async () => {
    const target = await bed.target();
    const handle = await bed.open(allowing(target));
    expect(await call(handle, { url: `${target.url}/a?b=c#d` })).to.deep.include({ status: 200, body: 'ok' });
    expect(target.requests[0]?.lines[0]).to.equal('GET /a?b=c HTTP/1.1');
  });

  it('wants https of a host that is not listed as plain', async () => {
    const handle = await bed.open({ allow: [{ host: 'api.example.com' }, { host: 'api.example.com', port: 80 }] });
    const error = await failure(call(handle, { url: 'http://api.example.com/' }));
    expect([error.outcome, error.message]).to.deep.equal(['rejected', 'url must be https for this host']);
  });
});
