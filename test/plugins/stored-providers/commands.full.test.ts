import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';

const orb = 'demo.echo@1.0.0';

describe('orb providers put, show and remove', function () {
  this.timeout(120_000);
  let served: Served;
  let key: string;
  before(async () => {
    served = createServed({ providers: { echo: { adapter: 'echo/local' } } });
    ({ key } = await served.start());
  });
  after(async () => {
    await served.stop();
    await served.remove();
  });
  const settings = (): string => join(served.home, 'data/platform.json');
  const change = (members: object): void =>
    writeFileSync(
      settings(),
      JSON.stringify({ ...(JSON.parse(readFileSync(settings(), 'utf8')) as object), ...members }),
    );
  const status = (): string => served.orb('providers', 'status', orb).stdout;

  it('change a provider of the store, which serves until it is swapped', () => {
    const file = join(served.home, 'second.json');
    writeFileSync(file, JSON.stringify({ adapter: 'echo/local' }));
    const put = served.orb('providers', 'put', 'second', file);
    expect([put.status, put.stdout], put.stderr).to.deep.equal([
      0,
      `second is in the store\nadded second for ${orb}\n`,
    ]);
    const shown = served.orb('providers', 'show', 'second');
    expect(JSON.parse(shown.stdout)).to.include({ name: 'second', origin: 'store', adapter: 'echo/local' });
    const rows = served
      .orb('providers', 'list')
      .stdout.trimEnd()
      .split('\n')
      .map((row) => row.split(/ {2,}/));
    expect(rows).to.deep.equal([
      ['PROVIDER', 'ADAPTER', 'FROM', 'SERVES'],
      ['echo', 'echo/local', 'file', orb],
      ['second', 'echo/local', 'store', 'standby'],
    ]);
    const adapters = served.orb('providers', 'adapters').stdout;
    expect(adapters).to.match(/^email\/smtp +Sends e-mail through a mail server, over SMTP\.$/m);
    expect(adapters).to.match(/^mcp\/stdio +mcp\/stdio can only be used in platform.json: it starts a program/m);
    expect(served.orb('providers', 'swap', orb, 'second').status).to.equal(0);
    const refused = served.orb('providers', 'remove', 'second');
    expect(refused.status).to.not.equal(0);
    expect(refused.stderr).to.include(`second serves ${orb}`);
  });

  it('change the order of the standbys, and back', () => {
    const order = (...args: readonly string[]): object => JSON.parse(served.orb('providers', ...args, '--json').stdout);
    expect(order('order', orb)).to.deep.include({ active_provider: 'second', standbys: ['echo'], source: 'default' });
    expect(order('reorder', orb, '')).to.deep.include({ standbys: [], others: ['echo'], source: 'store' });
    const back = served.orb('providers', 'default-order', orb);
    expect(back.stdout).to.match(/^standbys +echo$/m);
    expect(back.stdout).to.match(/^order from +default$/m);
  });

  it('send a test, list the changes of its health, and say what is missing', () => {
    const sent = served.orb('providers', 'test', 'echo');
    expect(sent.status, sent.stderr).to.equal(0);
    expect(sent.stdout).to.match(
      /^run_\w+ of demo\.echo@1\.0\.0 completed in \d+ ms\ninputs {3}\{"text":"Test of the provider echo /,
    );
    expect(sent.stdout).to.match(/\nreceipt {2}rec_\w+\n$/);
    const refused = served.orb('providers', 'test', 'echo', '--to', 'ada');
    expect(refused.status).to.not.equal(0);
    expect(refused.stderr).to.include('give its inputs as `inputs`');
    const own = served.orb('providers', 'test', 'echo', '--inputs', '{"text":"other words"}', '--json');
    expect(JSON.parse(own.stdout).result.outputs).to.deep.equal({ text: 'other words' });
    const health = served.orb('providers', 'health', 'echo', '--json');
    expect(JSON.parse(health.stdout).changes[0]).to.include({ health: 'up' });
    expect(served.orb('providers', 'health', 'echo').stdout).to.match(/^TIME +HEALTH +THEN +NODE +REASON/);
  });

  it('leave it to a file that names it later, and the store keeps it', () => {
    change({ providers: { echo: { adapter: 'echo/local' }, second: { adapter: 'echo/local' } } });
    const changes = served.orb('config', 'changes');
    expect(changes.stdout, changes.stderr).to.include('added second\n');
    const reload = served.orb('config', 'reload');
    expect(reload.status, reload.stderr).to.equal(0);
    expect(JSON.parse(served.orb('providers', 'show', 'second').stdout)).to.include({ origin: 'file' });
    expect(served.orb('providers', 'remove', 'second').stderr).to.include('platform.json defines second');
    change({ providers: { echo: { adapter: 'echo/local' } } });
    expect(served.orb('config', 'reload').status).to.equal(0);
    expect(JSON.parse(served.orb('providers', 'show', 'second').stdout)).to.include({ origin: 'store' });
    expect(status()).to.include(`${orb}: second`);
  });

  it('are not there without the plugin; the first provider of the file serves then', async () => {
    const plugins = { policy: { config: { build_compiler: false } } };
    await served.stop();
    change({ plugins: { ...plugins, 'stored-providers': false } });
    const { url } = await served.start();
    const gone = await fetch(`${url}/providers/second`, { headers: { authorization: `Bearer ${key}` } });
    expect(gone.status).to.equal(404);
    expect(status()).to.include(`${orb}: echo`);
    await served.stop();
    change({ plugins });
    await served.start();
    expect(status()).to.include(`${orb}: second`);
    expect(served.orb('providers', 'swap', orb, 'echo').status).to.equal(0);
    expect(served.orb('providers', 'remove', 'second').stdout).to.equal('second was removed\n');
  });
});
