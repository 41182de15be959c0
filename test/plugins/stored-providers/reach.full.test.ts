import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';

const portOf = ({ url }: VendorServer): number => Number(new URL(url).port);

/** Runs that reach the host of a provider, by its capability. */
const runs: Readonly<Record<string, (host: string) => object>> = {
  'notify.push@1.0.0': () => ({ to: { topic: 'x' }, title: 'y', body: 'y' }),
  'notify.email@1.0.0': () => ({ from_address: 'a@example.org', to: 'b@example.org', subject: 's', body: 'b' }),
  'http.fetch@1.0.0': (url) => ({ url, method: 'GET' }),
  'notify.chat@1.0.0': () => ({ channel: 'ops', text: 'hello' }),
};

const put = async (platform: TestPlatform, name: string, body: object): Promise<void> => {
  const answer = await platform.call('PUT', `/providers/${name}`, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
};

const run = (platform: TestPlatform, orb_id: string, url: string) =>
  platform.call('POST', '/orbisets/default/execute', { orb_id, inputs: runs[orb_id]?.(url) });

describe('a stored provider that is sent elsewhere by a redirect', function () {
  this.timeout(60_000);
  let door: VendorServer;
  let inner: VendorServer;
  let platform: TestPlatform;
  let asked = 0;
  before(async () => {
    inner = await startVendor(() => ({ status: 200, body: '{}' }));
    // An answer that makes clients repeat the request with its body at the other address.
    door = await startVendor(() => {
      asked += 1;
      return { status: 307, headers: { location: `${inner.url}/inner` }, body: '' };
    });
    const private_hosts = [{ host: '127.0.0.1', port: portOf(door) }];
    const plugins = { 'stored-providers': { config: { private_hosts } } };
    platform = await startPlatform({ platform: { providers: { echo: { adapter: 'echo/local' } }, plugins } });
  });
  after(async () => {
    await platform?.stop();
    await door?.close();
    await inner?.close();
  });

  /** Providers that reach the host that the operator allows; `orb`: what is run with one. */
  const rows: readonly { readonly adapter: string; readonly orb?: string; readonly config: () => object }[] = [
    { adapter: 'push/ntfy', orb: 'notify.push@1.0.0', config: () => ({ base_url: door.url }) },
    {
      adapter: 'http/client',
      orb: 'http.fetch@1.0.0',
      config: () => ({ allow: [{ host: '127.0.0.1', port: portOf(door), private: true }] }),
    },
    {
      adapter: 'chat/incoming',
      orb: 'notify.chat@1.0.0',
      config: () => ({ shape: 'json', private: true, channels: { ops: `${door.url}/hook` } }),
    },
    { adapter: 'mcp/http', config: () => ({ url: `${door.url}/mcp`, private: true }) },
    { adapter: 'llm/openai-compatible', config: () => ({ base_url: `${door.url}/v1`, models: { m: {} } }) },
  ];

  for (const { adapter, config, orb } of rows)
    it(`follows none: ${adapter}`, async () => {
      const name = adapter.replace('/', '-');
      await put(platform, name, { adapter, config: config() });
      if (orb !== undefined) {
        const before = asked;
        await platform.call('POST', `/providers/${orb}/swap`, { provider: name });
        await run(platform, orb, `${door.url}/x`);
        expect(asked, 'the host that is allowed was asked').to.be.above(before);
      }
      expect(inner.accepted, 'the other one was not').to.equal(0);
    });
});

describe('a stored provider whose name leads elsewhere after it was checked', function () {
  this.timeout(60_000);
  const host = 'changing.example.net';
  const { lookup } = dns;
  /** What the name leads to, one look-up after the other; several addresses have spaces between them. */
  let answers: readonly string[];
  let smtp: SmtpReceiver;
  let vendor: VendorServer;
  let platform: TestPlatform;
  before(async () => {
    // The first answer is for the check of the request; each connection asks again.
    const changing = async (name: string, options: object) => {
      if (!name.endsWith(host)) return lookup(name, options);
      const [first = '127.0.0.1', ...rest] = answers;
      answers = rest;
      return first.split(' ').map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    Object.assign(dns, { lookup: changing });
    syncBuiltinESMExports();
    smtp = await startSmtp();
    vendor = await startVendor(() => ({ status: 200, body: '{}' }), { tls: true });
    platform = await startPlatform({ platform: { providers: { echo: { adapter: 'echo/local' } } } });
  });
  after(async () => {
    Object.assign(dns, { lookup });
    syncBuiltinESMExports();
    await platform?.stop();
    await smtp?.close();
    await vendor?.close();
  });

  /** Providers that name the host; `url`: what a caller of the Orb names. */
  const rows: readonly {
    readonly adapter: string;
    readonly orb: string;
    readonly config: () => object;
    readonly url?: () => string;
  }[] = [
    {
      adapter: 'email/smtp',
      orb: 'notify.email@1.0.0',
      config: () => ({ host, port: smtp.port, starttls: 'never' }),
    },
    {
      adapter: 'push/ntfy',
      orb: 'notify.push@1.0.0',
      config: () => ({ base_url: `https://${host}:${portOf(vendor)}` }),
    },
    {
      adapter: 'http/client',
      orb: 'http.fetch@1.0.0',
      config: () => ({ allow: [{ host: `*.${host}`, port: portOf(vendor) }] }),
      url: () => `https://inner.${host}:${portOf(vendor)}/x`,
    },
    {
      adapter: 'chat/incoming',
      orb: 'notify.chat@1.0.0',
      config: () => ({ shape: 'json', channels: { ops: `https://${host}:${portOf(vendor)}/hook` } }),
    },
  ];

  for (const { adapter, orb, config, url } of rows)
    it(`reaches no private address: ${adapter}`, async () => {
      answers = ['93.184.215.14'];
      const name = adapter.replace('/', '-');
      await put(platform, name, { adapter, config: config() });
      answers = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254'];
      await platform.call('POST', `/providers/${orb}/swap`, { provider: name });
      for (let tries = 0; tries < 3; tries += 1) {
        const { status } = await run(platform, orb, url?.() ?? '');
        expect(status).to.be.within(400, 599);
      }
      expect([smtp.accepted, vendor.accepted]).to.deep.equal([0, 0]);
    });

  it('is refused when one of several addresses is private', async () => {
    answers = ['93.184.215.14 10.0.0.7'];
    const config = { base_url: `https://${host}` };
    const { status, body } = await platform.call('PUT', '/providers/mixed', { adapter: 'push/ntfy', config });
    expect([status, body.errors?.[0]?.pointer]).to.deep.equal([422, '#/config/base_url']);
  });

  it('reaches it where the operator allows the host, so that the name did lead there', async () => {
    const { home } = platform;
    await platform.stop({ keep: true });
    const plugins = { 'stored-providers': { config: { private_hosts: [{ host }] } } };
    answers = [];
    platform = await startPlatform({ home, platform: { providers: { echo: { adapter: 'echo/local' } }, plugins } });
    const allow = [{ host, port: portOf(vendor), private: true }];
    await put(platform, 'allowed', { adapter: 'http/client', config: { allow } });
    await platform.call('POST', '/providers/http.fetch@1.0.0/swap', { provider: 'allowed' });
    await run(platform, 'http.fetch@1.0.0', `https://${host}:${portOf(vendor)}/x`);
    expect(vendor.accepted).to.be.above(0);
  });
});
