import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/error.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

// What an author writes: the plugin declares a scheme, and its module wraps SQLite in a folder of the address.
const plugin = `export default ({ definePlugin }) => definePlugin({
  name: 'folders',
  engines: [{
    schemes: ['folder:'],
    form: 'folder:///path',
    module: new URL('./engine.mjs', import.meta.url).href,
    readAddress: ({ url }) => ({ shown: url, folder: new URL(url).pathname }),
  }],
  start: () => ({}),
});`;
const engine = `import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, nobodyElse, openReading, openSqlite, storeFile } from 'agent-orb-kit/engine';

export const engine = {
  attend: async ({ node, version, at }) => ({
    ...{ shares: {}, transfer: [], writer: { node: node.name, buffer: new SharedArrayBuffer(8) } },
    peers: nobodyElse(node, version, at),
    waits: { wait: (work) => work, away() {}, back() {} },
    gathering: () => ({ note() {}, holds: () => false, sent() {} }),
    begin: async () => {},
    ...{ isOver: () => false, isMute: () => false, now: () => undefined, close() {} },
  }),
  async open({ address, say, ...options }) {
    if (existsSync(join(address.folder, 'closed'))) throw new ConfigError(['folders: the folder is closed']);
    mkdirSync(address.folder, { recursive: true });
    const tell = (step) => say({ kind: 'upgrading', ...step });
    return openSqlite({ ...options, tell, stateDir: address.folder });
  },
  async view({ folder }) {
    const database = openReading(join(folder, storeFile));
    return {
      prepare: (sql) => database.prepare(sql),
      hasTable: (name) => database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined,
      hold: () => database.execute('BEGIN; SELECT count(*) FROM sqlite_schema;'),
      close: () => database.close(),
    };
  },
  serve: async () => {},
};`;

describe('a store on an engine of a plugin from elsewhere', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'orb-engine-'));
  let platform: TestPlatform | undefined;
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => platform?.stop({ keep: true }));

  const start = (home: string): Promise<TestPlatform> =>
    startPlatform({
      home,
      platform: {
        providers: { echo: { adapter: 'echo/local' } },
        bindings: { 'demo.echo@1.0.0': ['echo'] },
        plugins: { folders: { from: 'folders/index.mjs' } },
      },
      env: { ORB_STORE_URL: `folder://${join(folder, 'store')}`, ORB_MASTER_KEY: '5'.repeat(64) },
    });

  it('serves a run, and has it after a restart', async () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, 'folders'), { recursive: true });
    writeFileSync(join(home, 'folders/index.mjs'), plugin);
    writeFileSync(join(home, 'folders/engine.mjs'), engine);
    platform = await start(home);
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    const ran = await platform.call('POST', '/orbisets/default/execute', body);
    expect([ran.status, ran.body.status]).to.deep.equal([200, 'completed']);
    expect([existsSync(join(folder, 'store/store.db')), existsSync(join(platform.stateDir, 'store.db'))]).to.deep.equal(
      [true, false],
    );
    await platform.stop({ keep: true });
    platform = await start(home);
    const found = await platform.call('GET', `/receipts/${ran.body.receipt.receipt_id}`);
    expect(found.status).to.equal(200);
  });

  it('refuses a start with the faults that it names: its classes are those of the server', async () => {
    writeFileSync(join(folder, 'store/closed'), '');
    const refused = await start(join(folder, 'home')).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ConfigError);
    expect((refused as ConfigError).faults).to.deep.equal(['folders: the folder is closed']);
  });
});
