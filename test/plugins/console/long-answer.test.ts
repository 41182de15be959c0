import { expect } from 'chai';
import { definePlugin, defineRoute, exactly } from '../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { browserCall, ownPage, signIn } from './browser-call.ts';

const minute = 60_000;

describe('a long answer to a session of the console', () => {
  let platform: TestPlatform;
  let now = Date.parse('2030-01-01T00:00:00Z');
  let meanwhile: () => Promise<void> | void = () => undefined;
  const watcher = definePlugin({
    name: 'watcher',
    start: () => ({
      routes: [
        defineRoute({
          ...{ method: 'GET', path: '/watcher', service: 'runtime', anyKey: true, summary: 'Watch' },
          operationId: 'watchCaller',
          response: exactly('Watched', { known: { type: 'boolean', description: 'The caller is still known' } }),
          async handle({ callerNow }) {
            await meanwhile();
            return { known: (await callerNow()) !== undefined };
          },
        }),
      ],
    }),
  });
  before(async () => {
    platform = await startPlatform({ plugins: [watcher], clock: { now: () => now, monotonic: () => now } });
  });
  after(() => platform.stop());

  const headersOf = (cookie: string) => ({ ...ownPage, cookie });
  const watch = async (cookie: string): Promise<boolean> =>
    (await browserCall(`${platform.url}/watcher`, { headers: headersOf(cookie) })).body.known as boolean;

  it('knows its caller until the session ends', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    meanwhile = () => undefined;
    expect(await watch(cookie)).to.equal(true);
    meanwhile = async () => {
      await browserCall(`${platform.url}/console/session`, { method: 'DELETE', headers: headersOf(cookie) });
    };
    expect(await watch(cookie)).to.equal(false);
  });

  it('knows it until the key is revoked', async () => {
    const made = await platform.call('POST', '/keys', { scopes: ['runs:read'] });
    const cookie = await signIn(platform.url, made.body.key);
    meanwhile = async () => void (await platform.call('DELETE', `/keys/${made.body.key_id}`));
    expect(await watch(cookie)).to.equal(false);
  });

  it('is no use of the session: one that is only watched ends', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    meanwhile = () => void (now += 29 * minute);
    expect(await watch(cookie)).to.equal(true);
    now += minute;
    expect((await browserCall(`${platform.url}/console/session`, { headers: headersOf(cookie) })).status).to.equal(401);
  });
});
