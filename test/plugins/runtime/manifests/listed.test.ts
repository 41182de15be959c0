import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../../helpers/folder.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

const echo = { adapter: 'echo/local' };
const web = { adapter: 'http/client', config: { allow: [{ host: 'api.example' }] } };
const [fetching, sending] = ['http.fetch@1.0.0', 'http.send@1.0.0'];

describe('an Orb that ships, while no provider offers its capability', function () {
  this.timeout(60_000);
  let home: string;
  let platform: TestPlatform;
  const listed = async (path: string): Promise<readonly string[]> =>
    (await platform.call('GET', path)).body.orbs.map(({ orb_id }: { readonly orb_id: string }) => orb_id);
  const start = async (providers: object) => (platform = await startPlatform({ home, platform: { providers } }));
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-listed-'));
  });
  afterEach(async () => {
    await platform.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('is not listed, and found by its id', async () => {
    await start({ echo });
    for (const path of ['/orbs', '/providers']) expect(await listed(path), path).to.deep.equal(['demo.echo@1.0.0']);
    const { status, body } = await platform.call('GET', `/orbs/${fetching}`);
    expect([status, body.manifest.orb_id]).to.deep.equal([200, fetching]);
    expect((await platform.call('GET', `/providers/${fetching}/status`)).status).to.equal(200);
  });

  it('is listed with a provider of its capability', async () => {
    await start({ echo, web });
    for (const path of ['/orbs', '/providers'])
      expect(await listed(path), path).to.deep.equal(['demo.echo@1.0.0', fetching, sending]);
  });

  it('is listed when the home has its file: the operator put it there', async () => {
    mkdirSync(join(home, 'data/orbs'), { recursive: true });
    const file = `data/orbs/${sending}.json`;
    cpSync(join(packageDir, file), join(home, file));
    await start({ echo });
    expect(await listed('/orbs')).to.deep.equal(['demo.echo@1.0.0', sending]);
  });
});
