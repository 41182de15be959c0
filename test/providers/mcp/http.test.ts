import { expect } from 'chai';
import { digestOf, httpProvider, manifestOf, startBed, type Bed } from './bed.ts';
import { echo, startFixture, type Fixture } from './fixture.ts';

describe('an Orb of a tool, over http', () => {
  let fixture: Fixture;
  let bed: Bed;

  before(async () => {
    fixture = await startFixture();
    bed = await startBed({ fix: httpProvider(fixture.url) }, [manifestOf(echo)]);
  });
  after(async () => {
    await bed.platform.stop();
    await fixture.close();
  });

  it('is called, and its receipt names the tool', async () => {
    const answer = await bed.execute('tools.echo-text@1.0.0', { text: 'hi' });
    expect(answer.body).to.deep.include({ status: 'completed' });
    expect(answer.body.outputs).to.deep.equal({ content: [{ type: 'text', text: 'echo: hi' }] });
    const { upstream } = await bed.factsOf(answer);
    expect(upstream).to.deep.equal({
      server: { name: 'fixture', version: '7.1' },
      protocol: '2026-07-28',
      tool: 'echo_text',
      definition_digest: digestOf(echo),
      pinned: true,
    });
  });
});

describe('the configuration of mcp/http', () => {
  const started = async (config: object, env: Record<string, string> = {}): Promise<[string | undefined, Fixture]> => {
    const fixture = await startFixture();
    const bed = await startBed({ fix: httpProvider(fixture.url, config) }, [manifestOf(echo)], { env });
    const { body } = await bed.execute('tools.echo-text@1.0.0', { text: 'hi' });
    await bed.platform.stop();
    await fixture.close();
    return [body.code ?? body.status, fixture];
  };

  it('sends its headers with each request, whatever the case of their names', async () => {
    const env = { ORB_TEST_TOKEN: 'Bearer made-up' };
    const [status, { seen }] = await started({ headers: { Authorization: { $env: 'ORB_TEST_TOKEN' } } }, env);
    expect(status).to.equal('completed');
    expect(new Set(seen.map(({ headers }) => headers.authorization))).to.deep.equal(new Set(['Bearer made-up']));
  });

  it('may not name a header of the protocol', async () => {
    const [status, { seen }] = await started({ headers: { 'Mcp-Session-Id': { $env: 'ORB_X' } } }, { ORB_X: 'mine' });
    expect([status, seen.length]).to.deep.equal(['provider_unavailable', 0]);
  });

  for (const [name, config] of [
    ['a private address without leave', { private: false }],
    ['plain http to a host that is not loopback', { url: 'http://mcp.example.com/', private: true }],
  ] as const)
    it(`reaches no server at ${name}`, async () => {
      const [status, { seen }] = await started(config);
      expect([status, seen.length]).to.deep.equal(['provider_unavailable', 0]);
    });
});
