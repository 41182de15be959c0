import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

describe('an Orb that is not there', () => {
  let platform: TestPlatform;
  before(async () => {
    const narrow = { id: 'narrow', tenant: 'acme', orbs: ['demo.*'], retention_days: { inputs: 0, outputs: 0 } };
    platform = await startPlatform({ data: { 'orbisets/narrow.json': narrow } });
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

  it('and one that no Orbiset of the caller admits show nothing of their inputs when the body does not fit', async () => {
    const key = await platform.key({ name: 'acme', scopes: ['orbs:execute', 'schedules:manage'], tenant: 'acme' });
    const errors = async (path: string, orb_id: string, more: object) => {
      const { body } = await platform.call('POST', path, { orb_id, inputs: {}, colour: 1, ...more }, key);
      return (body.errors as readonly { pointer: string }[]).map(({ pointer }) => pointer);
    };
    for (const [path, more] of [
      ['/orbisets/narrow/execute', {}],
      ['/orbisets/default/execute', {}],
      ['/orbisets/narrow/schedules', { cron: '0 8 * * *' }],
    ] as const) {
      expect(await errors(path, 'notify.email@1.0.0', more), path).to.deep.equal(['#/colour']);
      expect(await errors(path, 'notify.emial@1.0.0', more), path).to.deep.equal(['#/colour']);
    }
    expect(await errors('/orbisets/narrow/execute', 'demo.echo@1.0.0', {})).to.deep.equal([
      '#/colour',
      '#/inputs/text',
    ]);
  });

  it('and one that no Orbiset of the caller admits are told alike, unless the key reads Orbs', async () => {
    const told = async (orb_id: string, scopes: readonly string[]) => {
      const key = await platform.key({ name: 'acme', scopes, tenant: 'acme' });
      const { body } = await platform.call('POST', '/orbisets/narrow/execute', { orb_id, inputs: {} }, key);
      return String(body.detail);
    };
    expect(await told('notify.email@1.0.0', ['orbs:execute'])).to.equal(
      'there is no Orb notify.email@1.0.0 in the Orbiset narrow; GET /orbs lists them',
    );
    expect(await told('notify.email@1.0.0', ['orbs:execute', 'orbs:read'])).to.match(
      /^the Orb notify.email@1.0.0 is not/,
    );
  });
});
