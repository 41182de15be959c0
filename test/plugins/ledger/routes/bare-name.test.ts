import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { manifestOf } from '../../marketplace/orbs.ts';

const versions = ['1.9.0', '1.10.0', '2.0.0-rc.1'];
const name = 'demo.many_names';

describe('a bare name in place of an Orb id', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const get = (path: string, key?: string | null): Promise<Answer> => platform.call('GET', path, undefined, key);
  const change = async (version: string, body: object): Promise<void> => {
    const path = `/marketplace/orbs/${name}@${version}/status`;
    expect((await platform.call('PATCH', path, { reason: 'as the test says', ...body })).status).to.equal(200);
  };
  before(async () => {
    const ids = [...versions.map((version) => `${name}@${version}`), 'demo.unpublished@1.0.0'];
    const data = Object.fromEntries(ids.map((id) => [`orbs/${id}.json`, manifestOf(id)]));
    platform = await startPlatform({ data });
    for (const version of versions) {
      const { status } = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: `${name}@${version}` });
      expect(status).to.equal(201);
    }
  });
  after(() => platform.stop());

  /** What each reading route shows of a name: the id in the answer. */
  const shown = async (key: string | null): Promise<readonly string[]> => {
    const answers = await Promise.all([
      get(`/reputation/${name}`, key),
      get(`/reputation/${name}/history`, key),
      get(`/reputation/${name}/evidence`, key),
      get(`/reputation/${name}/manifest`, key),
    ]);
    const certificate = await get(`/reputation/${name}/certificate`, key);
    expect(certificate.body.code).to.equal('certificate_not_issued');
    const badges = await Promise.all(['badge', 'badge.json'].map((part) => get(`/reputation/${name}/${part}`, key)));
    expect(badges.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect([badges[0]?.body, badges[1]?.body.message]).to.satisfy(
      ([picture, message]: [string, string]) => picture.includes('unscored') && message === 'unscored',
    );
    const page = await get(`/marketplace/${name}`, null);
    expect(page.status).to.equal(200);
    return [
      ...answers.map(({ body }) => body.orb_id as string),
      /(\S+) has never had/.exec(certificate.body.detail as string)?.[1] ?? '',
      /aria-current="page">(demo\.[^<]+)</.exec(page.body as string)?.[1] ?? '',
    ];
  };

  it('means its newest active version on every route that reads, with a key and without', async () => {
    for (const key of [null, platform.adminKey])
      expect(new Set(await shown(key))).to.deep.equal(new Set([`${name}@1.10.0`]));
    expect((await get(`/marketplace/orbs/${name}`)).body.orb_id).to.equal(`${name}@1.10.0`);
  });

  it('is refused where something is done', async () => {
    for (const [path, body] of [
      ['/orbisets/default/execute', { orb_id: name, inputs: { text: 'x' } }],
      ['/marketplace/orbs/publish', { orb_id: name }],
    ] as const)
      expect((await platform.call('POST', path, body)).body.code, path).to.equal('invalid_body');
    for (const act of ['suspend', 'reinstate'])
      expect((await platform.call('POST', `/reputation/${name}/${act}`, { reason: 'x' })).status).to.equal(400);
  });

  it('means another version once that one is deprecated, yanked, or active again', async () => {
    await change('1.10.0', { status: 'deprecated' });
    expect(new Set(await shown(null))).to.deep.equal(new Set([`${name}@1.9.0`]));
    await change('1.10.0', { status: 'active' });
    expect((await get(`/reputation/${name}`, null)).body.orb_id).to.equal(`${name}@1.10.0`);
    await change('1.10.0', { status: 'yanked' });
    await change('1.9.0', { status: 'deprecated' });
    expect((await get(`/reputation/${name}`, null)).body.orb_id).to.equal(`${name}@2.0.0-rc.1`);
  });

  it('means nothing when no version is active, and never for what is not published', async () => {
    await change('2.0.0-rc.1', { status: 'yanked' });
    for (const bare of [name, 'demo.unpublished', 'demo.absent'])
      for (const path of [`/reputation/${bare}`, `/reputation/${bare}/badge`, `/marketplace/${bare}`])
        expect((await get(path, null)).status, path).to.equal(404);
    expect((await get(`/marketplace/orbs/${name}`)).body.code).to.equal('listing_not_found');
    expect((await get('/reputation/demo')).status).to.equal(400);
  });
});
