import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

const orb = 'test.record@1.0.0';

describe('the preview of a reload', function () {
  this.timeout(60_000);
  const secret = join('data', 'secret.txt');
  let platform: TestPlatform;
  const record = (config: object, more: object = {}) => ({ adapter: 'record/local', config, ...more });
  const providers = {
    blue: record({ name: 'blue', secret: { $file: secret } }),
    green: record({ name: 'green', note: 'old-note-5' }),
    grey: record({ name: 'grey' }),
  };
  const file = { providers, bindings: { [orb]: ['blue', 'green'] } };
  const write = (name: string, content: string): void => writeFileSync(join(platform.home, name), content);
  before(async () => {
    platform = await startPlatform({
      adapters: [createRecorder().adapter],
      platform: { providers: { green: providers.green, grey: providers.grey } },
      data: { [`orbs/${orb}.json`]: recordOrb() },
    });
    write(secret, 'first-secret-77');
    write('data/platform.json', JSON.stringify(file));
    const { status, body } = await platform.call('POST', '/config/reload');
    expect(status, JSON.stringify(body)).to.equal(200);
  });
  after(() => platform?.stop());
  const preview = () => platform.call('GET', '/config/changes');

  it('is empty for a file that has not changed', async () => {
    const { status, body } = await preview();
    expect([status, body.providers, body.orders]).to.deep.equal([200, [], []]);
  });

  it('names what is added, changed and removed, without a value, and changes nothing', async () => {
    write(secret, 'second-secret-77');
    const { green, blue } = providers;
    const changed = {
      blue,
      green: { ...green, config: { name: 'green-2', note: 'new-note-5' }, limits: { concurrency: 2 } },
      white: record({ name: 'white' }),
    };
    write(
      'data/platform.json',
      JSON.stringify({ swap_drain_ms: 12_345, providers: changed, bindings: { [orb]: ['white', 'blue'] } }),
    );
    const { body } = await preview();
    const of = (provider: string) => body.providers.find((one: { provider: string }) => one.provider === provider);
    expect(of('white')).to.deep.equal({ provider: 'white', change: 'added', adapter: 'record/local', members: [] });
    expect(of('grey')).to.deep.include({ change: 'removed', members: [] });
    expect(of('blue')).to.deep.include({
      change: 'changed',
      members: [{ pointer: '/config/secret', change: 'changed' }],
    });
    expect(of('green').members).to.have.deep.members([
      { pointer: '/config/name', change: 'changed' },
      { pointer: '/config/note', change: 'changed' },
      { pointer: '/limits', change: 'added' },
    ]);
    expect(body.orders).to.deep.equal([{ orb_id: orb, before: ['blue', 'green'], after: ['white', 'blue'] }]);
    expect(body.restart_required).to.include('swap_drain_ms');
    expect(JSON.stringify(body)).to.not.match(/secret-77|note-5/);
    expect((await platform.call('GET', `/providers/${orb}/status`)).body.active_provider).to.equal('blue');
  });

  it('is what the reload does', async () => {
    expect((await platform.call('POST', '/config/reload')).status).to.equal(200);
    expect((await preview()).body).to.deep.include({ providers: [], orders: [] });
    expect((await platform.call('GET', `/providers/${orb}/status`)).body.active_provider).to.equal('white');
  });

  it('says what is wrong with the file', async () => {
    const text = readFileSync(join(platform.home, 'data/platform.json'), 'utf8');
    write('data/platform.json', text.replace('record/local', 'record/loacl'));
    const { status, body } = await preview();
    expect([status, body.code]).to.deep.equal([422, 'invalid_configuration']);
  });

  it('is for keys with the scope of the reload', async () => {
    const key = await platform.key({ scopes: ['providers:read'] });
    expect((await platform.call('GET', '/config/changes', undefined, key)).status).to.equal(403);
  });
});
