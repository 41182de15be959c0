import { expect } from 'chai';
import { consoleCommands } from '../../../plugins/console/commands.ts';
import { runCommand } from '../../helpers/command.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { browserCall, ownPage, signIn } from './browser-call.ts';

describe('a link to the console', () => {
  let platform: TestPlatform;
  let now = Date.parse('2030-01-01T00:00:00Z');
  before(async () => {
    platform = await startPlatform({ clock: { now: () => now, monotonic: () => now } });
  });
  after(() => platform.stop());

  const at = (path: string): string => platform.url + path;
  const tokenOf = (url: string): string => /^http:\/\/127\.0\.0\.1:\d+\/console#link=([\w-]{43})$/.exec(url)?.[1] ?? '';
  const make = async (key = platform.adminKey): Promise<string> =>
    tokenOf((await platform.call('POST', '/console/links', undefined, key)).body.url);
  const ask = (link: string) => browserCall(at('/console/session/link'), { method: 'POST', body: { link } });
  const use = (link: string) => browserCall(at('/console/session'), { method: 'POST', body: { link } });

  it('is printed by `orb console open`, alone on its line, with its end', async () => {
    const [open] = consoleCommands;
    if (open === undefined) throw new Error('there is no command');
    const request = async <T>(method: string, path: string): Promise<T> =>
      (await platform.call(method, path)).body as T;
    const client = () => ({
      request,
      open: () => Promise.reject(new Error()),
      download: () => Promise.reject(new Error()),
    });
    const said = await runCommand(open, platform.stateDir, [], { client });
    const link = tokenOf(said.text);
    expect(link).not.to.equal('');
    expect(said.notes.join()).to.contain('2030-01-01T00:01:00.000Z');
    expect((await use(link)).status).to.equal(201);
  });

  it('names the key that it signs in, and is still good after that', async () => {
    const made = await platform.call('POST', '/keys', { scopes: ['runs:read'], name: 'watcher', mode: 'test' });
    const link = await make(made.body.key);
    const named = await ask(link);
    expect(named.status).to.equal(200);
    expect(named.body).to.deep.equal({
      ...{ key_id: made.body.key_id, name: 'watcher', principal: made.body.principal, tenant: 'default' },
      ...{ scopes: ['runs:read'], mode: 'test' },
    });
    expect(named.cookie).to.equal(undefined);
    const used = await use(link);
    expect([used.status, used.body.key_id]).to.deep.equal([201, made.body.key_id]);
  });

  it('signs in once, whoever comes first', async () => {
    const link = await make();
    const statuses = await Promise.all([use(link), use(link), use(link)]);
    expect(statuses.map(({ status }) => status).sort()).to.deep.equal([201, 401, 401]);
    const asked = await ask(link);
    expect(asked.status).to.equal(401);
    expect(asked.body.detail).to.contain(`was used at ${new Date(now).toISOString()}`);
    expect((await use(link)).body.detail)
      .to.contain('was used at')
      .and.contain('orb console open');
    expect((await ask('x'.repeat(43))).body.detail).to.contain('unknown');
  });

  it('ends after a minute', async () => {
    const [one, other] = [await make(), ''];
    now += 59_999;
    expect((await ask(one)).status, other).to.equal(200);
    now += 1;
    expect((await ask(one)).body.detail).to.contain(`expired at ${new Date(now).toISOString()}`);
    expect((await use(one)).status).to.equal(401);
  });

  it('ends with the next one of its key, and with the key', async () => {
    const made = await platform.call('POST', '/keys', { scopes: ['runs:read'] });
    const [first, second] = [await make(made.body.key), await make(made.body.key)];
    const [replaced, current] = [await ask(first), await ask(second)];
    expect([replaced.status, current.status]).to.deep.equal([401, 200]);
    expect(replaced.body.detail).to.contain('a newer link of the same key replaced it');
    await platform.call('DELETE', `/keys/${made.body.key_id}`);
    const ended = await use(second);
    expect([ended.status, ended.body.detail]).to.deep.equal([
      401,
      'the key of the link was revoked or has expired; use another key',
    ]);
  });

  it('is neither asked about nor used by a page of another site', async () => {
    const link = await make();
    for (const path of ['/console/session', '/console/session/link'])
      for (const headers of [{}, { ...ownPage, 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-origin' }]) {
        const answer = await browserCall(at(path), { method: 'POST', body: { link }, headers });
        expect([answer.status, answer.body.code]).to.deep.equal([403, 'not_from_console']);
      }
    expect((await use(link)).status).to.equal(201);
  });

  it('is not made by a session', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    const made = await browserCall(at('/console/links'), { method: 'POST', headers: { ...ownPage, cookie } });
    expect([made.status, made.body.code]).to.deep.equal([403, 'key_required']);
  });
});
