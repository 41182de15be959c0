import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from '../../helpers/shipped.ts';
import { ConfigError } from '../../../kernel/index.ts';
import { configuration } from '../../../kernel/runner.ts';
import { choosePlugins } from '../../../kernel/boot/plugin-choice.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

/** Routes that only a plugin serves, and the plugins that go with each when it is left out. */
const optional = [
  { name: 'ledger', route: '/scoring/orb-score/1', with: ['marketplace'] },
  { name: 'marketplace', route: '/marketplace/orbs/public', with: [] },
  { name: 'ingestion', route: '/incidents', with: [] },
  { name: 'observability', route: '/status', with: [] },
  { name: 'docs', route: '/docs', with: [] },
  { name: 'schedules', route: '/orbisets/default/schedules', with: [] },
  { name: 'mcp', route: '/.well-known/oauth-protected-resource/orbisets/default/mcp', with: [] },
] as const;

/** Lists where the head and the foot of a page lead. */
function linksOf(page: string): readonly string[] {
  const frame = page.replace(/<main[^]*<\/main>/, '');
  return [...frame.matchAll(/<a (?:class="brand" )?href="(\/[^"]*)"/g)].map(([, path = '']) => path);
}

describe('the choice of plugins', function () {
  this.timeout(120_000);
  let platform: TestPlatform | undefined;
  afterEach(() => platform?.stop());

  const start = async (plugins: object, data = {}, onLog?: (line: string) => void): Promise<TestPlatform> => {
    const policy = { config: { build_compiler: false } };
    platform = await startPlatform({
      firstStart: true,
      platform: { providers: { echo: { adapter: 'echo/local' } }, plugins: { policy, ...plugins } },
      ...(onLog === undefined ? {} : { onLog }),
      ...data,
    });
    return platform;
  };
  const status = async (path: string): Promise<number> => (await platform?.call('GET', path))?.status ?? 0;
  const run = async (): Promise<unknown> => {
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    return (await platform?.call('POST', '/orbisets/default/execute', body))?.body.status;
  };

  for (const { name, with: others } of optional) {
    it(`leaves out ${name}: its routes are 404, the others are served, runs complete`, async () => {
      const said: string[] = [];
      await start({ [name]: false }, {}, (line) => void said.push(line));
      expect(await run()).to.equal('completed');
      const gone: readonly string[] = [name, ...others];
      for (const each of optional)
        expect(await status(each.route), each.route).to.equal(gone.includes(each.name) ? 404 : 200);
      for (const other of others)
        expect(said.join('')).to.contain(`plugins.${other} is not loaded: no plugin provides the service`);
      expect(await status('/receipts')).to.equal(200);
      const page = name === 'docs' ? '/status.html' : '/docs';
      const links = linksOf(String((await platform?.call('GET', page, undefined, null))?.body));
      expect(links.length).to.be.greaterThan(2);
      for (const link of links) expect(await status(link), link).to.equal(200);
    });
  }

  it('leaves out all that is optional', async () => {
    await start(Object.fromEntries(optional.map(({ name }) => [name, false])));
    expect(await run()).to.equal('completed');
    for (const { route } of optional) expect(await status(route), route).to.equal(404);
  });

  it('boots with any part of the optional plugins', async () => {
    for (let set = 0; set < 2 ** optional.length; set += 1) {
      const out = optional.filter((_, at) => (set & (2 ** at)) !== 0).map(({ name }) => name);
      const faults: string[] = [];
      const plugins = Object.fromEntries(out.map((name): [string, false] => [name, false]));
      const { chosen } = await choosePlugins({ home: '/', plugins }, builtin.plugins, faults);
      const services = new Set([
        configuration.name,
        ...chosen.flatMap(({ plugin }) => Object.values(plugin.provides).map((token) => token.name)),
      ]);
      const wanted = chosen.flatMap(({ plugin }) => Object.values(plugin.requires).map((token) => token.name));
      expect([faults, wanted.filter((token) => !services.has(token))], out.join()).to.deep.equal([[], []]);
      const names: readonly string[] = chosen.map(({ plugin }) => plugin.name);
      expect(out.filter((name) => names.includes(name))).to.deep.equal([]);
    }
  });

  for (const [name, hook] of [
    ['receipts', 'attest'],
    ['api-keys', 'authenticate'],
  ] as const) {
    it(`does not boot without ${name}, and says why`, async () => {
      const error: unknown = await start({ [name]: false }).catch((failed: unknown) => failed);
      expect(error).to.be.instanceOf(ConfigError);
      expect(String(error)).to.contain(`no plugin answers ${hook}; do not leave out the one that does`);
    });
  }

  it('does not boot without runtime, and says why', async () => {
    const error: unknown = await start({ runtime: false }).catch((failed: unknown) => failed);
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.contain(
      'plugins.policy is not loaded: no plugin provides the service runtime; do not leave out the one that does',
    );
  });

  it('a file replaces a shipped plugin under its name, with a warning', async () => {
    const said: string[] = [];
    const home = mkdtempSync(join(tmpdir(), 'orb-replaced-'));
    mkdirSync(join(home, 'ext'));
    writeFileSync(
      join(home, 'ext/status.mjs'),
      `export default (api) => api.definePlugin({
        name: 'observability',
        start: () => ({ routes: [api.defineRoute({
          method: 'GET', path: '/status', service: 'shared', public: true, summary: 'Tell how it is',
          response: { type: 'object', properties: { mine: { type: 'boolean' } } },
          handle: () => ({ mine: true }),
        })] }),
      });`,
    );
    await start({ observability: { from: 'ext/status.mjs' } }, { home }, (line) => void said.push(line));
    expect((await platform?.call('GET', '/status'))?.body).to.deep.equal({ mine: true });
    expect(await status('/traces')).to.equal(404);
    expect(said.join('')).to.contain('plugins.observability: the file ext/status.mjs replaces the shipped plugin');
    rmSync(home, { recursive: true, force: true });
  });
});
