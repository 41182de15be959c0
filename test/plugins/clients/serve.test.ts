import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { version } from '../../../kernel/tools/version.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { buildClients } from './built.ts';
import { retryFile } from './vectors/files.ts';

describe('the packages of the clients', function () {
  let platform: TestPlatform;
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${platform.url}${path}`, { headers });
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform?.stop());

  it('are listed with their digests, for programs and for people', async () => {
    const bytes = readFileSync(buildClients());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const listed = (await (await ask('/clients', { accept: 'application/json' })).json()) as {
      version: string;
      packages: { name: string; url: string; sha256: string; size: number }[];
    };
    const name = `agent-orb-${version}.tgz`;
    expect(listed.version).to.equal(version);
    const found = listed.packages.find((one) => one.name === name);
    expect(found).to.include({ sha256, size: bytes.length });
    // The port of a test is not that of the public address.
    expect(new URL(found?.url ?? '').pathname).to.equal(`/clients/${name}`);
    const page = await (await ask('/clients/', { accept: 'text/html' })).text();
    expect(page).to.include(`npm install ${found?.url}`).and.include(sha256);
  });

  it('are served as they were built, without a key, and not again to who has them', async () => {
    const path = `/clients/agent-orb-${version}.tgz`;
    const answer = await ask(path);
    expect(answer.status).to.equal(200);
    expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), readFileSync(buildClients()))).to.equal(0);
    const tag = answer.headers.get('etag') ?? '';
    expect((await ask(path, { 'if-none-match': tag })).status).to.equal(304);
  });

  it('are no door to other files', async () => {
    for (const path of [
      '/clients/package.json',
      '/clients/..%2f..%2fpackage.json',
      '/clients/sources.sha256',
      '/clients/simple/nothing/',
    ])
      expect((await ask(path)).status, path).to.equal(404);
  });

  it('come with the retry table of this server', async () => {
    const { problems } = (await (await ask('/clients/retry.json')).json()) as { problems: object };
    expect(problems).to.deep.equal((JSON.parse(readFileSync(retryFile, 'utf8')) as { problems: object }).problems);
  });
});

describe('without the plugin clients', () => {
  it('there is no such route', async () => {
    const platform = await startPlatform({ platform: { plugins: { clients: false } } });
    const { status } = await platform.call('GET', '/clients', undefined, null);
    await platform.stop();
    expect(status).to.equal(404);
  });
});
