import { expect } from 'chai';
import { startCollector, type OtlpSpan, type TestCollector } from '../../helpers/otlp.ts';
import { until } from '../../helpers/until.ts';
import { httpProvider, manifestOf, startBed, type Bed } from '../../providers/mcp/bed.ts';
import { echo, startFixture, type Fixture } from '../../providers/mcp/fixture.ts';
import { mcpClient } from '../mcp/client.ts';
import { said, script } from '../models/bed.ts';

// opentelemetry-proto: SpanKind.
const [server, client] = [2, 3];
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const traceparent = `00-${trace}-${parent}-01`;
const messages = [{ role: 'user', content: 'hello' }];

describe('the spans of calls of models and tools', function () {
  this.timeout(60_000);
  const model = script();
  let collector: TestCollector;
  let fixture: Fixture;
  let bed: Bed;

  const newest = async (kind: number, name: RegExp, before: number): Promise<OtlpSpan> => {
    const found = (): OtlpSpan | undefined =>
      collector.spans.slice(before).find((one) => one.kind === kind && name.test(one.name));
    return (await until(found, Boolean, String(name))) ?? expect.fail('there is no span');
  };
  const chat = async (asked: string): Promise<number> => {
    const response = await fetch(`${bed.platform.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bed.platform.adminKey}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ model: asked, messages }),
    });
    return response.status;
  };
  const queue = async (more: object, key: string): Promise<{ readonly run_id: string }> => {
    const response = await fetch(`${bed.platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        prefer: 'respond-async',
        traceparent,
      },
      body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' }, ...more }),
    });
    expect(response.status).to.equal(202);
    return (await response.json()) as { readonly run_id: string };
  };

  before(async () => {
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '20';
    collector = await startCollector();
    fixture = await startFixture();
    const telemetry = { config: { endpoint: collector.url, protocol: 'http/json', metrics: false } };
    bed = await startBed(
      {
        fix: httpProvider(fixture.url),
        echo: { adapter: 'echo/local' },
        vendor: { adapter: 'llm/script', config: { models: { fast: { name: 'vendor-model' } } } },
        any: { adapter: 'llm/script' },
      },
      [manifestOf(echo)],
      {
        ...{ adapters: model.adapters, data: model.data },
        platform: { bindings: { 'llm.chat@1.0.0': ['vendor', 'any'] }, plugins: { telemetry } },
      },
    );
  });
  after(async () => {
    delete process.env['OTEL_BSP_SCHEDULE_DELAY'];
    await bed.platform.stop();
    await Promise.all([collector.vendor.close(), fixture.close()]);
  });

  it('name the model and count its tokens, at the gateway and at the provider', async () => {
    model.answer(async () => said('hello', { model: 'vendor-model-2026-11-01' }));
    const before = collector.spans.length;
    expect(await chat('fast')).to.equal(200);
    const names = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'vendor-model',
      'gen_ai.response.model': 'vendor-model-2026-11-01',
    };
    const counts = { 'gen_ai.usage.input_tokens': '12', 'gen_ai.usage.output_tokens': '3' };
    const textOf = ({ attributes }: OtlpSpan) =>
      Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
    const run = await newest(server, /^chat vendor-model$/, before);
    expect(textOf(run)).to.include({ ...names, ...counts, 'orb.channel': 'models' });
    expect(run).to.include({ traceId: trace, parentSpanId: parent });
    const call = await newest(client, /^chat vendor-model$/, before);
    expect(textOf(call)).to.include({
      ...names,
      ...counts,
      'gen_ai.provider.name': 'script',
      'orb.provider': 'vendor',
    });
  });

  it('name neither a model that the caller made up nor one that the vendor did', async () => {
    model.answer(async () => said('hello', { model: 'made-up-by-vendor' }));
    const before = collector.spans.length;
    expect(await chat('made-up-by-caller')).to.equal(200);
    await newest(server, /^chat$/, before);
    expect(JSON.stringify(collector.spans)).not.to.include('made-up');
  });

  it('name the method of MCP for a caller of a tool, with the context of its _meta', async () => {
    const before = collector.spans.length;
    const info = { name: 'made-up-client', version: '1' };
    const meta = { traceparent, 'io.modelcontextprotocol/clientInfo': info };
    await mcpClient(bed.platform).ask('tools/call', { name: 'demo_echo', arguments: { text: 'x' } }, { meta });
    const run = await newest(server, /^tools\/call demo\.echo$/, before);
    expect(run).to.include({ traceId: trace, parentSpanId: parent });
    expect(run.attributes).to.include({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'demo.echo',
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'orb.channel': 'mcp',
    });
    expect(JSON.stringify(collector.spans)).not.to.include('made-up');
  });

  it('name the tool of another server, which gets the context of the call', async () => {
    const before = collector.spans.length;
    const { body } = await bed.execute('tools.echo-text@1.0.0', { text: 'hi' });
    expect(body.status).to.equal('completed');
    const call = await newest(client, /^tools\/call echo_text$/, before);
    expect(call.attributes).to.include({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'echo_text' });
    const asked = fixture.seen.filter((one) => one.asked === 'tools/call').at(-1);
    const sent = `00-${call.traceId}-${call.spanId}-01`;
    expect((asked?.body.params?.['_meta'] as Readonly<Record<string, unknown>>)['traceparent']).to.equal(sent);
    expect(asked?.headers['traceparent']).to.equal(sent);
  });

  it('tell a denied run, which has no call: its key was revoked while it waited', async () => {
    const before = collector.spans.length;
    const made = await bed.platform.call('POST', '/keys', { name: 'short', scopes: ['orbs:execute'] });
    const run_at = new Date(Date.now() + 1000).toISOString();
    const queued = await queue({ run_at }, made.body.key as string);
    expect((await bed.platform.call('DELETE', `/keys/${made.body.key_id}`)).status).to.be.lessThan(300);
    const run = await newest(server, /^execute_tool demo\.echo$/, before);
    expect(run.attributes).to.include({
      'orb.run_id': queued.run_id,
      'orb.status': 'denied',
      'error.type': 'access_denied',
    });
    expect(run).to.include({ traceId: trace, parentSpanId: parent });
    expect(collector.spans.slice(before).map(({ kind }) => kind)).to.deep.equal([server]);
  });

  it('tell a run that waited, below the caller that queued it', async () => {
    const before = collector.spans.length;
    await queue({}, bed.platform.adminKey);
    const run = await newest(server, /^execute_tool demo\.echo$/, before);
    expect(run).to.include({ traceId: trace, parentSpanId: parent });
    const call = await newest(client, /^call echo$/, before);
    expect(call).to.include({ traceId: trace, parentSpanId: run.spanId });
  });
});
