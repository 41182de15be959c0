import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { shippedProgram } from '../helpers/program.ts';
import { packageDir } from '../helpers/folder.ts';
import { createServed } from '../helpers/served.ts';
import { until } from '../helpers/until.ts';

const counterStore = `
import { defineStore } from 'agent-orb-kit';
export default defineStore({
  name: 'counter',
  migrations: ['CREATE TABLE counter_counts (name TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT'],
  write: ({ connection }) => {
    const add = connection.prepare('INSERT INTO counter_counts (name, count) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = counter_counts.count + 1');
    return { operations: { add: ({ name }) => add.queue(name) } };
  },
  read: (connection) => {
    const all = connection.prepare('SELECT name, count FROM counter_counts ORDER BY name');
    return { all: () => all.all() };
  },
});
`;

const counterPlugin = (kit: string, store: string): string => `
import { defineCommand, definePlugin, defineRoute, operation } from '${kit}';
import counterStore from '${store}';
export default definePlugin({
  name: 'counter',
  store: counterStore,
  scopes: { 'counter:read': { title: 'Read the counts' } },
  commands: [
    defineCommand({
      path: 'counter show',
      summary: 'show the counts',
      async run({ client, print }) {
        const found = await client().request('GET', '/counts');
        print(found, JSON.stringify(found));
      },
    }),
  ],
  start({ store, hooks }) {
    const reads = store.reads(counterStore);
    hooks.runSettled.tap('counter', async ({ orb_id }) => {
      await store.write([operation(counterStore, 'add', { name: orb_id })]);
    });
    const response = { type: 'object', description: 'Counts', additionalProperties: true, properties: {} };
    return {
      routes: [
        defineRoute({
          method: 'GET', path: '/counts', service: 'runtime', scope: 'counter:read', summary: 'List the counts',
          operationId: 'listCounts', response, handle: async () => ({ counts: await reads.all() }),
        }),
      ],
    };
  },
});
`;

describe('the boundary of plugins', function () {
  this.timeout(180_000);
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-boundary-'));
    mkdirSync(join(home, 'ext'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("a stranger's plugin has a store, a scope, a hook and commands", async () => {
    const served = createServed({ plugins: { counter: { from: 'ext/index.ts' } } });
    mkdirSync(join(served.home, 'ext'));
    writeFileSync(join(served.home, 'ext/store.ts'), counterStore);
    writeFileSync(join(served.home, 'ext/index.ts'), counterPlugin('agent-orb-kit', './store.ts'));
    try {
      const { url, key } = await served.start();
      await fetch(`${url}/orbisets/default/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'counted' } }),
      });
      // The hook is called after the answer.
      const counted = JSON.stringify({ counts: [{ name: 'demo.echo@1.0.0', count: 1 }] });
      const shown = await until(
        () => served.orb('counter', 'show'),
        ({ status, stdout }) => status !== 0 || stdout.trim() === counted,
      );
      expect(shown.status, shown.stderr).to.equal(0);
      expect(served.orb('--help').stdout).to.match(/^ {2}counter/m);
    } finally {
      await served.remove();
    }
  });

  it('a command that is shipped loads no code of the folder it is called in', () => {
    mkdirSync(join(home, 'data'));
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify({ plugins: { odd: { from: 'odd.ts' } } }));
    writeFileSync(join(home, 'odd.ts'), "throw new Error('this code ran');");
    const orb = (...args: readonly string[]): string => {
      const { stdout, stderr } = spawnSync(process.execPath, [shippedProgram, ...args], {
        cwd: home,
        encoding: 'utf8',
      });
      return stdout + stderr;
    };
    for (const words of [['receipts', 'verify', 'x.json'], ['log', 'fsck', 'x'], ['--version']])
      expect(orb(...words), words.join(' ')).to.not.contain('this code ran');
    expect(orb('odd', 'command')).to.contain('this code ran');
  });

  it('a program of your own is a copy of main.ts and plugins/builtin.ts, with its plugins and their stores', async () => {
    const root = pathToFileURL(join(packageDir, '/')).href;
    const copied = (name: string): string =>
      readFileSync(join(packageDir, name), 'utf8').replaceAll(
        /(from |import |import\()'(\.[^']+)'/g,
        (_, before: string, path: string) =>
          path.endsWith('/builtin.ts') ? "from './builtin.ts'" : `${before}'${new URL(path, `${root}${name}`).href}'`,
      );
    writeFileSync(
      join(home, 'ext/main.ts'),
      `${copied('kernel/main.ts')}\nprocess.exitCode = await main(process.argv.slice(2));\n`,
    );
    const list = copied('plugins/builtin.ts').replace(/(  plugins: \[[^\]]*?),?(\s*\],)/, '$1, counter$2');
    writeFileSync(join(home, 'ext/builtin.ts'), `import counter from './counter.ts';\n${list}`);
    const stores = copied('plugins/stores.ts').replace(/\n\];/, '\n  counterStore,\n];');
    writeFileSync(join(home, 'ext/stores.ts'), `import counterStore from './counter-store.ts';\n${stores}`);
    const index = `${root}kernel/index.ts`;
    writeFileSync(join(home, 'ext/counter-store.ts'), counterStore.replace('agent-orb-kit', index));
    writeFileSync(join(home, 'ext/counter.ts'), counterPlugin(index, './counter-store.ts'));
    const served = createServed({}, { program: join(home, 'ext/main.ts') });
    try {
      const { url, key } = await served.start();
      const answer = await fetch(`${url}/counts`, { headers: { authorization: `Bearer ${key}` } });
      expect(await answer.json()).to.deep.equal({ counts: [] });
    } finally {
      await served.remove();
    }
  });
});
