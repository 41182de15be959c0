import { expect } from 'chai';
import { digestOf, httpProvider, manifestOf, startBed, type Bed } from './bed.ts';
import { echo, startFixture, type Fixture, type FixtureTool, type Speaking } from './fixture.ts';

const names = ['one', 'two', 'three'];
const tools = names.map((name): FixtureTool => ({ ...echo, name }));

describe('connections to a server of tools', () => {
  let fixture: Fixture;
  let bed: Bed;

  async function start(speaking: Speaking, config: object): Promise<void> {
    fixture = await startFixture(tools, speaking);
    bed = await startBed(
      { fix: httpProvider(fixture.url, config), other: httpProvider(fixture.url, { ...config, max_connections: 3 }) },
      tools.map((tool) => manifestOf(tool)),
    );
  }
  afterEach(async () => {
    await bed.platform.stop();
    await fixture.close();
  });
  const call = async (orb: string, key?: string): Promise<void> => {
    const body = { orb_id: `tools.${orb}@1.0.0`, inputs: { text: 'hi' } };
    const answer = await bed.platform.call('POST', '/orbisets/tools/execute', body, key);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };
  const callAll = async (key?: string): Promise<void> => {
    for (const name of names) await call(name, key);
  };
  const sessions = (): number =>
    new Set(fixture.seen.filter(({ asked }) => asked === 'tools/call').map(({ headers }) => headers['mcp-session-id']))
      .size;

  it('are one for all Orbs and callers, with one initialize, when the server keeps no session', async () => {
    await start('stateless', { era: '2025' });
    await callAll();
    await callAll(await bed.platform.key({ name: 'agent', scopes: ['orbs:execute'] }));
    // The provider whose Orbs nobody has is not connected to.
    expect(fixture.count('initialize')).to.equal(1);
  });

  it('stay the same over a swap to the same provider', async () => {
    await start('stateless', { era: '2025' });
    const swap = await bed.platform.call('POST', '/providers/tools.one@1.0.0/swap', { provider: 'fix' });
    expect(swap.status).to.equal(200);
    await callAll();
    expect(fixture.count('initialize')).to.equal(1);
  });

  it('ask a server of 2026 once what it speaks', async () => {
    await start('stateless', {});
    await callAll();
    expect([fixture.count('server/discover'), fixture.count('initialize')]).to.deep.equal([1, 0]);
  });

  it('are one for each principal, when the server hands out sessions', async () => {
    await start('sessions', {});
    await callAll();
    expect([fixture.count('initialize'), sessions()]).to.deep.equal([1, 1]);
    const key = await bed.platform.key({ name: 'agent', scopes: ['orbs:execute'] });
    await callAll(key);
    await callAll();
    expect([fixture.count('initialize'), sessions()]).to.deep.equal([2, 2]);
  });

  it('are one for all, when the configuration says so', async () => {
    await start('sessions', { sessions: 'shared' });
    await callAll();
    await callAll(await bed.platform.key({ name: 'agent', scopes: ['orbs:execute'] }));
    expect([fixture.count('initialize'), sessions()]).to.deep.equal([1, 1]);
  });

  it('are one for each run, when the configuration says so', async () => {
    await start('sessions', { sessions: 'per_run' });
    await callAll();
    expect([fixture.count('initialize'), sessions()]).to.deep.equal([4, 3]);
  });

  it('begin again, once and before anything is executed, when the server no longer knows the session', async () => {
    await start('sessions', {});
    await call('one');
    fixture.forget();
    await call('one');
    expect(fixture.count('initialize')).to.equal(2);
    // The second call was answered 404, and then made in the new session.
    expect(fixture.count('tools/call')).to.equal(3);
  });

  /** Answers as the official example server does for a session that it does not know. */
  const refusing = (isRefused: (asked: string, session: unknown) => boolean): void => {
    fixture.fault = (asked, response) => {
      if (!isRefused(asked, fixture.seen.at(-1)?.headers['mcp-session-id'])) return false;
      const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      return true;
    };
  };

  it('begin again, once, when the server answers 400 for a session that it no longer knows', async () => {
    await start('sessions', {});
    await call('one');
    const lost = fixture.seen.at(-1)?.headers['mcp-session-id'];
    refusing((_, session) => session === lost);
    await call('one');
    expect([fixture.count('initialize'), fixture.count('tools/call')]).to.deep.equal([2, 3]);
    await call('two');
    expect(fixture.count('initialize')).to.equal(2);
  });

  it('send nothing a third time when the server answers 400 in the new session too, and say why', async () => {
    await start('sessions', {});
    await call('one');
    refusing((asked) => asked === 'tools/call');
    const body = { orb_id: 'tools.one@1.0.0', inputs: { text: 'hi' } };
    const answer = await bed.platform.call('POST', '/orbisets/tools/execute', { ...body, timeout_ms: 1000 });
    expect([answer.status, answer.body.code], JSON.stringify(answer.body)).to.deep.equal([503, 'provider_unavailable']);
    expect(answer.body.detail).to.match(/in a new session: the server responded with status 400/);
    fixture.fault = undefined;
    await call('one');
  });

  describe('to a server that was restarted with other tools', () => {
    let executed: number;
    const changed = names.map((name): FixtureTool => {
      const run = (): object => ((executed += 1), { content: [] });
      return { ...echo, name, description: 'does something else', run };
    });
    const restart = (): void => {
      fixture.forget();
      fixture.tools = changed;
    };
    const execute = async (key?: string) => {
      const body = { orb_id: 'tools.one@1.0.0', inputs: { text: 'hi' } };
      return bed.platform.call('POST', '/orbisets/tools/execute', body, key);
    };
    beforeEach(() => (executed = 0));

    it('do not call a tool that is defined otherwise now', async () => {
      await start('sessions', {});
      await call('one');
      restart();
      const answer = await execute();
      expect([answer.status, answer.body.code]).to.deep.equal([502, 'definition_changed']);
      expect(executed).to.equal(0);
    });

    it('do not call it for a principal whose session is not the first one either', async () => {
      await start('sessions', {});
      const key = await bed.platform.key({ name: 'agent', scopes: ['orbs:execute'] });
      await call('one');
      await call('one', key);
      restart();
      const answer = await execute(key);
      expect([answer.status, answer.body.code]).to.deep.equal([502, 'definition_changed']);
      expect(executed).to.equal(0);
    });

    it('call it where the provider allows it, and the receipt names the definition that was called', async () => {
      await start('sessions', { on_drift: 'allow' });
      await call('one');
      restart();
      const answer = await execute();
      expect([answer.status, executed]).to.deep.equal([200, 1]);
      const definition_digest = digestOf(changed[0] as FixtureTool);
      expect((await bed.factsOf(answer)).upstream).to.include({ pinned: false, definition_digest });
    });

    it('learn of it by the next look at the tools, though each run has its own session', async () => {
      await start('sessions', { sessions: 'per_run' });
      await call('one');
      restart();
      // The swap to the same provider probes it, and the probe lists its tools.
      await bed.platform.call('POST', '/providers/tools.one@1.0.0/swap', { provider: 'fix' });
      const answer = await execute();
      expect([answer.status, answer.body.code]).to.deep.equal([502, 'definition_changed']);
      expect(executed).to.equal(0);
    });
  });
});
