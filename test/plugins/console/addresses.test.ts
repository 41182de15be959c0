import { request } from 'node:https';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { browserCall, ownPage } from './browser-call.ts';

const all = ['runtime', 'ledger', 'policy', 'ingest'];
const certificates = join(packageDir, 'test/helpers/tls');

/** Sends a request by TLS to a server whose certificate is of nobody. */
function secureCall(
  url: string,
  { method = 'GET', body, headers = {} }: { method?: string; body?: object; headers?: object },
) {
  return new Promise<{ readonly status: number; readonly cookie: string }>((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const typed = text === undefined ? {} : { 'content-type': 'application/json' };
    const asked = request(url, { method, rejectUnauthorized: false, headers: { ...headers, ...typed } }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.join() ?? '' }),
      );
    });
    asked.once('error', reject);
    asked.end(text);
  });
}

describe('the session of the console, by the address', () => {
  let platform: TestPlatform;
  afterEach(() => platform.stop());
  const listening = (at: number): string => (platform.kernel.listeners[at]?.url ?? '').replace('0.0.0.0', '127.0.0.1');
  const start = async (options: object): Promise<void> => {
    platform = await startPlatform({ platform: options });
  };

  it('by TLS: the cookie is bound to the host and to TLS, and no other name counts', async () => {
    const tls = {
      cert: { $file: join(certificates, 'test-only.cert.pem') },
      key: { $file: join(certificates, 'test-only.key.pem') },
    };
    await start({ listen: [{ address: '127.0.0.1:0', services: all, tls }] });
    const url = `${listening(0)}/console/session`;
    const begun = await secureCall(url, { method: 'POST', headers: ownPage, body: { key: platform.adminKey } });
    expect(begun.status).to.equal(201);
    expect(begun.cookie).to.match(/^__Host-orb_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const [cookie = ''] = begun.cookie.split(';');
    expect((await secureCall(url, { headers: { ...ownPage, cookie } })).status).to.equal(200);
    const other = { ...ownPage, cookie: cookie.replace('__Host-', '') };
    expect((await secureCall(url, { headers: other })).status).to.equal(401);
    const out = await secureCall(url, { method: 'DELETE', headers: { ...ownPage, cookie } });
    expect(out.cookie).to.match(/^__Host-orb_console=; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=0$/);
  });

  it('behind a TLS proxy: as by TLS, and not at all beside the proxy', async () => {
    await start({ listen: [{ address: '0.0.0.0:0', services: all }], trust_proxy: ['127.0.0.0/8'] });
    const url = `${listening(0)}/console/session`;
    const proxied = { ...ownPage, 'x-forwarded-proto': 'https' };
    const body = { key: platform.adminKey };
    const begun = await browserCall(url, { method: 'POST', headers: proxied, body });
    expect([begun.status, begun.cookie?.startsWith('__Host-orb_console=')]).to.deep.equal([201, true]);
    const cookie = begun.cookie?.split(';')[0] ?? '';
    expect((await browserCall(url, { headers: { ...proxied, cookie } })).status).to.equal(200);
    for (const plain of [ownPage, { ...ownPage, 'x-forwarded-proto': 'http' }]) {
      expect((await browserCall(url, { headers: { ...plain, cookie } })).status).to.equal(401);
      const refused = await browserCall(url, { method: 'POST', headers: plain, body });
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'tls_required']);
    }
  });

  it('counts at no address that lacks a service', async () => {
    await start({
      listen: [
        { address: '127.0.0.1:0', services: all },
        { address: '127.0.0.1:0', services: ['runtime'] },
      ],
    });
    const begun = await browserCall(`${listening(0)}/console/session`, {
      ...{ method: 'POST', body: { key: platform.adminKey } },
    });
    const headers = { ...ownPage, cookie: begun.cookie?.split(';')[0] ?? '' };
    expect((await browserCall(`${listening(0)}/runs`, { headers })).status).to.equal(200);
    expect((await browserCall(`${listening(1)}/runs`, { headers })).status).to.equal(401);
  });

  it('counts nowhere when the console is left out', async () => {
    await start({});
    const begun = await browserCall(`${platform.url}/console/session`, {
      ...{ method: 'POST', body: { key: platform.adminKey } },
    });
    const headers = { ...ownPage, cookie: begun.cookie?.split(';')[0] ?? '' };
    await platform.stop({ keep: true });
    platform = await startPlatform({ home: platform.home, platform: { plugins: { console: false } } });
    expect((await browserCall(`${platform.url}/runs`, { headers })).status).to.equal(401);
    expect((await platform.call('GET', '/runs')).status).to.equal(200);
  });
});
