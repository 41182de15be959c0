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
