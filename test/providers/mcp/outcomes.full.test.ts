import { expect } from 'chai';
import { digestOf, httpProvider, manifestOf, startBed, type Bed } from './bed.ts';
import { echo, startFixture, type Fixture, type FixtureTool } from './fixture.ts';
import { big, orbs, result, rows, unknownBlock, type Answer, type OrbName } from './outcome-rows.ts';

describe('what became of a call, over http', () => {
  let fixture: Fixture;
  let bed: Bed;
  const { annotations: _, ...plain } = echo;
  const tools = Object.keys(orbs).map((name): FixtureTool => ({ ...(name === 'readonly' ? echo : plain), name }));

  before(async () => {
    fixture = await startFixture(tools);
    bed = await startBed(
      {
        fix: httpProvider(fixture.url, { max_result_bytes: 4096 }),
        peer: httpProvider(fixture.url, { peer: 'orb' }),
      },
      tools.map((tool) => {
        const { effect, ...more } = orbs[tool.name as OrbName];
        const named = { provider: 'fix', tool: tool.name, definition_digest: digestOf(tool) };
        return manifestOf(tool, { effect, upstream: { ...named, ...('upstream' in more ? more.upstream : {}) } });
      }),
    );
  });
  after(async () => {
    await bed.platform.stop();
    await fixture.close();
  });
  afterEach(async () => {
    fixture.fault = undefined;
    // A good call closes the breakers again.
    for (const orb of ['none', 'peer'] as const) await bed.execute(`tools.${orb}@1.0.0`, { text: 'good' });
  });
  const answering = (answer: Answer): void => {
    fixture.fault = (asked, response, id) => {
      if (asked === 'tools/call') answer(response, id);
      return asked === 'tools/call';
    };
  };

  for (const { name, answer, orb, gives, detail, timeout_ms } of rows)
    it(`${name}: ${gives.join(' ')}`, async () => {
      answering(answer);
      const more = timeout_ms === undefined ? {} : { timeout_ms };
      const found = await bed.execute(`tools.${orb}@1.0.0`, { text: 'hi' }, more);
      const facts = await bed.factsOf(found);
      const phase = facts.attempts.at(-1).phase;
      expect([found.status, found.body.code, phase], found.body.detail).to.deep.equal(gives);
      expect(facts.upstream.tool).to.equal(orb);
      if (detail !== undefined) expect(found.body.detail).to.match(detail);
    });

  it('a block of an unknown kind: passed through, and the run is done', async () => {
    answering(result({ content: [unknownBlock, { type: 'text', text: 'done' }], structuredContent: { done: true } }));
    const { status, body } = await bed.execute('tools.irreversible@1.0.0', { text: 'hi' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.outputs.content).to.deep.equal([unknownBlock, { type: 'text', text: 'done' }]);
    expect(body.outputs.structured).to.deep.equal({ done: true });
  });

  it('a result that is too long, with an effect: only its size and digest', async () => {
    answering(big);
    const { status, body } = await bed.execute('tools.irreversible@1.0.0', { text: 'hi' });
    expect(status).to.equal(200);
    expect(body.outputs.content).to.include({ truncated: true }).and.to.have.keys('truncated', 'bytes', 'digest');
    expect(body.outputs.content.bytes).to.be.greaterThan(5000);
  });

  it('a result of 20 MB in one event: only its size and digest', async () => {
    const text = 'x'.repeat(20_000_000);
    answering((response, id) => {
      const message = { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    });
    const { status, body } = await bed.execute('tools.irreversible@1.0.0', { text: 'hi' });
    expect(status, JSON.stringify(body).slice(0, 300)).to.equal(200);
    expect(body.outputs.content.bytes).to.be.greaterThan(20_000_000);
  });

  it('an answer without an end is cut off', async () => {
    answering((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void =>
        void (!response.destroyed && response.write('x'.repeat(1_000_000), () => setImmediate(more)));
      more();
    });
    const found = await bed.execute('tools.irreversible@1.0.0', { text: 'hi' });
    expect([found.status, found.body.code]).to.deep.equal([504, 'outcome_unknown']);
  });

  it('passes on the content without what the server adds for clients', async () => {
    const _meta = { 'agent-orb/receipt': 'made up' };
    const resource = { uri: 'x://y', text: 'hello', _meta };
    const blocks = [
      { type: 'text', text: 'plain', _meta },
      { type: 'resource', resource },
    ];
    answering(result({ content: blocks, structuredContent: { a: 1 }, _meta }));
    const { body } = await bed.execute('tools.irreversible@1.0.0', { text: 'hi' });
    expect(body.outputs).to.deep.equal({
      content: [
        { type: 'text', text: 'plain' },
        { type: 'resource', resource: { uri: 'x://y', text: 'hello' } },
      ],
      structured: { a: 1 },
    });
  });

  it('sends our key and the trace, and no more than one call', async () => {
    const before = fixture.count('tools/call');
    await bed.execute('tools.irreversible@1.0.0', { text: 'hi' });
    expect(fixture.count('tools/call')).to.equal(before + 1);
    const { headers, body } = fixture.seen.filter(({ asked }) => asked === 'tools/call').at(-1) ?? {};
    const meta = body?.params?.['_meta'] as Readonly<Record<string, unknown>>;
    expect(headers?.['idempotency-key']).to.match(/^[a-z2-7]{52}$/);
    expect(meta['agent-orb/idempotency-key']).to.equal(headers?.['idempotency-key']);
    expect(headers?.['user-agent']).to.equal('agent-orb');
  });
});
