import { expect } from 'chai';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { until } from '../../helpers/until.ts';
import { manifestOf, startBed, type Bed } from './bed.ts';
import type { FixtureTool } from './fixture.ts';

const script = new URL('stdio-server.ts', import.meta.url).pathname;
const tool = (name: string): FixtureTool => ({ name, inputSchema: { type: 'object' } });
const pipe = (how: string, config: object = {}) => ({
  adapter: 'mcp/stdio',
  config: { command: process.execPath, args: [script, how], ...config },
});
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('an Orb of a tool, over a pipe', function () {
  this.timeout(120_000);
  const names = ['echo', 'die', 'hang', 'flood', 'big', 'endless', 'env', 'junk', 'child', 'ask', 'pid'];
  const logged: string[] = [];
  let bed: Bed;
  const call = (name: string, inputs: object = {}, more: object = {}) =>
    bed.execute(`tools.${name}@1.0.0`, inputs, more);
  const textOf = async (name: string, inputs: object = {}): Promise<string> => {
    const answer = await until(
      () => call(name, inputs),
      ({ status }) => status === 200,
      name,
    );
    return String(answer.body.outputs.content[0].text);
  };

  before(async () => {
    bed = await startBed(
      {
        fix: pipe('', { env: { LANG: 'C.UTF-8', TOKEN: { $env: 'ORB_TEST_TOKEN' } }, max_restarts_per_min: 60 }),
        gone: { adapter: 'mcp/stdio', config: { command: '/nowhere/at/all' } },
        dies: pipe('dies'),
        mute: pipe('mute'),
      },
      [
        ...names.map((name) => manifestOf(tool(name))),
        ...['gone', 'dies', 'mute'].map((name) => {
          const upstream = { provider: name, tool: 'echo', definition_digest: `sha256:${'0'.repeat(64)}` };
          return manifestOf(tool(`of-${name}`), { upstream });
        }),
      ],
      { env: { ORB_TEST_TOKEN: 'a-made-up-token', ORB_LOG_LEVEL: 'debug' }, onLog: (line) => logged.push(line) },
    );
  });
  after(async () => {
    await bed.platform.stop();
  });

  it('is called, and the same process serves every Orb', async () => {
    expect(await textOf('echo', { value: 'hi' })).to.equal('hi');
    const pid = await textOf('pid');
    expect(await textOf('pid')).to.equal(pid);
  });

  it('passes its own environment alone, and a PATH of the system', async () => {
    const env = JSON.parse(await textOf('env')) as Record<string, string>;
    expect(Object.keys(env).sort()).to.deep.equal(['LANG', 'PATH', 'TOKEN']);
    expect(env['PATH']).to.equal('/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin');
  });

  it('reads past what is no message, and logs the error output without values of the environment', async () => {
    expect(await textOf('junk')).to.equal('after the junk');
    const line = await until(
      () => logged.find((one) => one.includes('a secret on stderr')),
      (found) => found !== undefined,
    );
    expect(line).to.not.include('a-made-up-token');
  });

  it('ends a call whose process dies as unknown, and starts the process again', async () => {
    const pid = await textOf('pid');
    const answer = await call('die');
    expect([answer.status, answer.body.code]).to.deep.equal([504, 'outcome_unknown']);
    expect((await bed.factsOf(answer)).attempts[0]).to.include({ outcome: 'unknown', phase: 'process' });
    expect(await textOf('pid')).to.not.equal(pid);
  });

  it('ends a call that hangs at its deadline, and the process serves on', async () => {
    const pid = await textOf('pid');
    const answer = await call('hang', {}, { timeout_ms: 500 });
    expect([answer.status, answer.body.code]).to.deep.equal([504, 'outcome_unknown']);
    expect(await textOf('pid')).to.equal(pid);
  });

  for (const name of ['flood', 'endless'])
    it(`ends the process of a tool that writes without end (${name})`, async () => {
      const pid = Number(await textOf('pid'));
      const answer = await call(name);
      expect([answer.status, answer.body.code]).to.deep.equal([504, 'outcome_unknown']);
      await until(
        () => alive(pid),
        (is) => !is,
        'the end of the process',
      );
      expect(await textOf('pid')).to.not.equal(String(pid));
    });

  it('answers only size and digest of a result of 20 MB', async () => {
    const { status, body } = await call('big');
    expect(status).to.equal(200);
    expect(body.outputs.content).to.include({ truncated: true });
  });

  it('gives no answer to a question of the server: the tool fails', async () => {
    const answer = await call('ask');
    expect([answer.status, answer.body.code]).to.deep.equal([504, 'outcome_unknown']);
    expect(answer.body.detail).to.include('refused: -32601');
  });

  for (const name of ['gone', 'dies', 'mute'])
    it(`sends nothing to a server that does not start (${name})`, async () => {
      const answer = await bed.execute(`tools.of-${name}@1.0.0`, {});
      expect([answer.status, answer.body.code]).to.deep.equal([503, 'provider_unavailable']);
    });

  it('ends the process, and what it has started, when the platform stops', async () => {
    const other = await startBed({ fix: pipe('stays') }, [manifestOf(tool('child')), manifestOf(tool('pid'))]);
    const pidOf = async (name: string): Promise<number> =>
      Number((await other.execute(`tools.${name}@1.0.0`, {})).body.outputs.content[0].text);
    const pids = [await pidOf('child'), await pidOf('pid')];
    expect(pids.map(alive)).to.deep.equal([true, true]);
    await other.platform.stop();
    expect(pids.map(alive)).to.deep.equal([false, false]);
  });
});

describe('a route', () => {
  it('starts no program: command, arguments and address come from the configuration alone', async () => {
    const listening = createServer().listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const bed = await startBed({}, []);
    const { body } = await bed.platform.call('GET', '/openapi.json');
    const words = JSON.stringify(body.paths).match(/"(command|args|env|cwd|url)":\{"type"/g);
    expect(words).to.equal(null);
    await bed.platform.stop();
    listening.close();
  });
});

describe('a program that takes long to start', function () {
  this.timeout(120_000);

  it('serves once it has started, though the platform did not wait for it', async () => {
    const slow = ['-c', 'sleep 12; exec "$0" "$1"', process.execPath, script];
    const bed = await startBed({ fix: { adapter: 'mcp/stdio', config: { command: 'sh', args: slow } } }, [
      manifestOf(tool('echo')),
    ]);
    expect((await bed.execute('tools.echo@1.0.0', {})).status).to.equal(503);
    await until(
      () => bed.execute('tools.echo@1.0.0', { value: 'hi' }),
      ({ status }) => status === 200,
      'the program',
      500,
    );
    await bed.platform.stop();
  });
});
