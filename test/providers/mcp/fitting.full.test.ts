import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, httpProvider, manifestOf, startBed, type Bed } from './bed.ts';
import { echo, startFixture, type Fixture } from './fixture.ts';

const orb = 'tools.echo-text@1.0.0';

describe('an imported Orb', () => {
  let own: Fixture;
  let twin: Fixture;
  let other: Fixture;
  let bed: Bed;

  async function start(bindings: object = {}): Promise<void> {
    own = await startFixture();
    twin = await startFixture();
    other = await startFixture([{ ...echo, description: 'something else' }]);
    const providers = {
      fix: httpProvider(own.url),
      twin: httpProvider(twin.url),
      other: httpProvider(other.url, { on_drift: 'allow' }),
    };
    bed = await startBed(providers, [manifestOf(echo)], { platform: { bindings } });
  }
  afterEach(async () => {
    await bed.platform.stop();
    for (const fixture of [own, twin, other]) await fixture.close();
  });
  const order = async (): Promise<string[]> => {
    const { body } = await bed.platform.call('GET', `/providers/${orb}/status`);
    return body.providers.map(({ name }: { name: string }) => name);
  };
  const swap = (provider: string) => bed.platform.call('POST', `/providers/${orb}/swap`, { provider });
  const calls = () => [own, twin, other].map((fixture) => fixture.count('tools/call'));

  it('is served by its own provider alone, though others offer the capability', async () => {
    await start();
    expect(await order()).to.deep.equal(['fix']);
    await own.close();
    const answer = await bed.execute(orb, { text: 'hi' });
    expect([answer.status, answer.body.code]).to.deep.equal([503, 'provider_unavailable']);
    expect(calls()).to.deep.equal([0, 0, 0]);
    own = await startFixture();
  });

  it('is not swapped to a provider that defines the tool otherwise, but to one that defines it alike', async () => {
    await start();
    const refused = await swap('other');
    expect([refused.status, refused.body.code]).to.deep.equal([422, 'invalid_provider']);
    expect((await bed.execute(orb, { text: 'hi' })).status).to.equal(200);
    expect((await swap('twin')).status).to.equal(200);
    expect((await bed.execute(orb, { text: 'hi' })).status).to.equal(200);
    expect(calls()).to.deep.equal([1, 1, 0]);
  });

  it('fails over to a provider that defines the tool alike', async () => {
    await start({ [orb]: ['fix', 'twin'] });
    own.fault = (asked, response) => asked === 'tools/call' && (response.writeHead(401).end(), true);
    expect((await bed.execute(orb, { text: 'hi' })).status).to.equal(200);
    expect(twin.count('tools/call')).to.equal(1);
  });

  it('does not fail over to one that defines it otherwise, whatever that provider allows', async () => {
    await start({ [orb]: ['fix', 'other'] });
    own.fault = (asked, response) => asked === 'tools/call' && (response.writeHead(401).end(), true);
    const answer = await bed.execute(orb, { text: 'hi' });
    expect([answer.status, answer.body.code]).to.deep.equal([422, 'invalid_provider']);
    expect((await bed.factsOf(answer)).attempts.at(-1)).to.include({ provider: 'other', phase: 'other_definition' });
    expect(other.count('tools/call')).to.equal(0);
  });

  it('is not bound to one that defines it otherwise by a reload, which says why', async () => {
    await start({ [orb]: ['fix', 'twin'] });
    const file = join(bed.platform.home, 'data/platform.json');
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...settings, bindings: { [orb]: ['fix', 'other'] } }));
    const { body } = await bed.platform.call('POST', '/config/reload');
    const [failed] = body.providers.filter(({ provider }: { provider: string }) => provider === 'other');
    expect(failed).to.include({ orb_id: orb, change: 'failed' });
    expect(failed.reason).to.include('with the definition');
  });

  it('is not served by another provider that is bound first', async () => {
    await start({ [orb]: ['other'] });
    const answer = await bed.execute(orb, { text: 'hi' });
    expect([answer.status, answer.body.code]).to.deep.equal([422, 'invalid_provider']);
    expect(calls()).to.deep.equal([0, 0, 0]);
  });

  it('that names no tool is called nowhere', async () => {
    await start();
    const more = { orb_id: 'tools.stray@1.0.0', inputs_schema: { type: 'object' } };
    const { upstream: _, ...manifest } = manifestOf(echo, more);
    expect((await bed.platform.call('PUT', '/orbs/tools.stray@1.0.0', manifest)).status).to.equal(201);
    const answer = await bed.execute('tools.stray@1.0.0', { text: 'hi' });
    expect([answer.status, answer.body.code]).to.deep.equal([502, 'provider_failed']);
    expect(calls()).to.deep.equal([0, 0, 0]);
  });

  it('of another server may not take the place of a provider by its name', async () => {
    await start();
    const upstream = { provider: 'outbox', tool: 'echo_text', definition_digest: digestOf(echo) };
    const manifest = manifestOf(echo, { orb_id: 'tools.lost@1.0.0', upstream });
    expect((await bed.platform.call('PUT', '/orbs/tools.lost@1.0.0', manifest)).status).to.equal(201);
    const answer = await bed.execute('tools.lost@1.0.0', { text: 'hi' });
    expect([answer.status, answer.body.code]).to.deep.equal([503, 'provider_unavailable']);
  });
});
