import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

describe('an Orb that is not there', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const execute = (orb_id: string, key?: string) =>
    platform.call('POST', '/orbisets/default/execute', { orb_id, inputs: { text: 'x' } }, key);

  for (const [method, path] of [
    ['GET', '/orbs/notify.emial@1.0.0'],
    ['GET', '/providers/notify.emial@1.0.0/status'],
  ] as const)
    it(`is 404 and names the one that was meant: ${method} ${path}`, async () => {
      const { status, body } = await platform.call(method, path);
      expect([status, body.code]).to.deep.equal([404, 'orb_not_found']);
      expect(body.detail).to.equal('there is no Orb notify.emial@1.0.0; did you mean notify.email@1.0.0?');
    });

  it('is named to a caller only when its key may execute the one that was meant', async () => {
    const weak = await platform.key({ name: 'weak', scopes: ['orbs:execute:demo.*'] });
    const meant = 'there is no Orb demo.ecko@1.0.0 in the Orbiset default; did you mean demo.echo@1.0.0?';
    for (const key of [platform.adminKey, weak])
      expect((await execute('demo.ecko@1.0.0', key)).body).to.include({ code: 'orb_not_found', detail: meant });
    const other = await platform.key({ name: 'other', scopes: ['orbs:execute:demo.ecko@1.0.0'] });
    const lists = 'there is no Orb demo.ecko@1.0.0 in the Orbiset default; GET /orbs lists them';
    expect((await execute('demo.ecko@1.0.0', other)).body.detail).to.equal(lists);
  });

  it('is named with its version when a bare name came where a version is needed', async () => {
    const { status, body } = await platform.call('POST', '/providers/notify.email/swap', { provider: 'outbox' });
    expect([status, body.detail]).to.deep.equal([
      404,
      'there is no Orb notify.email; did you mean notify.email@1.0.0?',
    ]);
  });

  it('is not named to a publisher whose key may not see it', async () => {
    const publish = async (scopes: readonly string[]) => {
      const key = await platform.key({ name: 'publisher', scopes: ['marketplace:publish', ...scopes] });
      return (await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'notify.emial@1.0.0' }, key)).body
        .detail;
    };
    const meant = 'there is no Orb notify.emial@1.0.0; did you mean notify.email@1.0.0?';
    expect(await publish([])).to.equal('there is no Orb notify.emial@1.0.0; GET /orbs lists them');
    expect(await publish(['orbs:execute:demo.*'])).to.equal('there is no Orb notify.emial@1.0.0; GET /orbs lists them');
    expect(await publish(['orbs:execute:notify.*'])).to.equal(meant);
    expect(await publish(['orbs:read'])).to.equal(meant);
  });

  it('is followed by the list when no id is near', async () => {
    const { body } = await execute('weather.today@1.0.0');
    expect(body.detail).to.equal('there is no Orb weather.today@1.0.0 in the Orbiset default; GET /orbs lists them');
  });
});
