import { expect } from 'chai';
import { httpProvider, manifestOf, startBed, type Bed } from './bed.ts';
import { echo, startFixture, type Fixture } from './fixture.ts';
import { until } from '../../helpers/until.ts';

describe('a server of tools that floods, over http', () => {
  let fixture: Fixture;
  let bed: Bed;
  const orb = 'tools.echo-text@1.0.0';

  before(async () => {
    fixture = await startFixture();
    bed = await startBed({ fix: httpProvider(fixture.url, { era: '2025' }) }, [manifestOf(echo)]);
  });
  after(async () => {
    await bed.platform.stop();
    await fixture.close();
  });
  /** Streams messages, and the result at the end. */
  const streaming = (messages: readonly object[]): void => {
    fixture.fault = (asked, response, id) => {
      if (asked !== 'tools/call') return false;
      const result = { id, result: { content: [{ type: 'text', text: 'done' }] } };
      const events = [...messages, result].map((message) => ({ jsonrpc: '2.0', ...message }));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join(''));
      return true;
    };
  };
  const notice = { method: 'notifications/message', params: { level: 'info', data: 'x' } };
  const question = (id: number) => ({ id: `q${id}`, method: 'roots/list' });

  it('is heard through some thousand notices', async () => {
    streaming(Array.from({ length: 5000 }, () => notice));
    expect((await bed.execute(orb, { text: 'hi' })).status).to.equal(200);
  });

  it('is cut off above that, and the outcome is unknown', async () => {
    streaming(Array.from({ length: 20_000 }, () => notice));
    const answer = await bed.execute(orb, { text: 'hi' });
    expect([answer.status, answer.body.code]).to.deep.equal([504, 'outcome_unknown']);
    expect((await bed.factsOf(answer)).attempts[0]).to.include({ phase: 'stream' });
  });

  it('gets a refusal for few of its questions, and its result is taken', async () => {
    streaming(Array.from({ length: 500 }, (_, id) => question(id)));
    const before = fixture.seen.length;
    expect((await bed.execute(orb, { text: 'hi' })).status).to.equal(200);
    const refusals = (): number => fixture.seen.slice(before).filter(({ body }) => 'error' in body).length;
    // Fifty in a second; they may arrive after the answer of the run.
    await until(refusals, (count) => count >= 50, 'refusals', 20);
    expect(refusals()).to.be.lessThan(110);
  });
});
