import { expect } from 'chai';
import { startCollector, type OtlpSpan, type TestCollector } from '../../helpers/otlp.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
// opentelemetry-proto: SpanKind and Status.
const [internal, server, client] = [1, 2, 3];
const failed = { code: 2 };

describe('the export of traces and metrics', function () {
  this.timeout(60_000);
  let collector: TestCollector;
  let target: VendorServer;
  let platform: TestPlatform;

  const execute = async (orb_id: string, inputs: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ orb_id, inputs }),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- results and problems of any shape
    return (await response.json()) as any;
  };
  const spansOf = async (runId: string, count: number): Promise<readonly OtlpSpan[]> => {
    const own = (): readonly OtlpSpan[] =>
      collector.spans.filter(({ attributes }) => attributes['orb.run_id'] === runId);
    return until(own, (spans) => spans.length === count);
  };

  before(async () => {
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '20';
    collector = await startCollector();
    target = await startVendor(() => ({ status: 200, body: { taken: true } }));
    platform = await startPlatform({
      platform: {
        providers: {
          outbox: { adapter: 'email/outbox' },
          echo: { adapter: 'echo/local' },
          web: {
            adapter: 'http/client',
            config: {
              allow: [{ host: '127.0.0.1', port: Number(new URL(target.url).port), private: true, plain: true }],
            },
          },
        },
        plugins: {
          telemetry: {
            config: {
              endpoint: collector.url,
              protocol: 'http/json',
              metrics_interval_s: 1,
              attributes: { 'deployment.environment.name': 'test' },
            },
          },
        },
      },
    });
  });
  after(async () => {
    delete process.env['OTEL_BSP_SCHEDULE_DELAY'];
    await platform.stop();
    await Promise.all([collector.vendor.close(), target.close()]);
  });

  it("exports a run below the caller's span, and its call below the run", async () => {
    const { run_id, receipt } = await execute(
      'demo.echo@1.0.0',
      { text: 'x' },
      { traceparent: `00-${trace}-${parent}-01` },
    );
    const spans = await spansOf(run_id, 2);
    const run = spans.find(({ kind }) => kind === server) ?? expect.fail('no span of the run');
    const call = spans.find(({ kind }) => kind === client) ?? expect.fail('no span of the call');
    expect(run).to.deep.include({
      traceId: trace,
      parentSpanId: parent,
      name: 'execute_tool demo.echo',
      status: { code: 0 },
    });
    expect(run.attributes).to.deep.include({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'demo.echo',
      'orb.orb': 'demo.echo@1.0.0',
      'orb.receipt_id': receipt.receipt_id,
      'orb.provider': 'echo',
      'orb.status': 'completed',
    });
    expect(run.attributes).not.to.have.property('error.type');
    expect(run.events.map(({ name }) => name)).to.deep.equal(['orb.policy.decided', 'orb.receipt']);
    expect(call).to.deep.include({ traceId: trace, parentSpanId: run.spanId, name: 'call echo' });
    expect(call.attributes).to.deep.include({ 'orb.attempt.outcome': 'accepted', 'orb.attempt.number': 1 });
    expect(BigInt(call.startTimeUnixNano) >= BigInt(run.startTimeUnixNano)).to.equal(true);
    expect(BigInt(call.endTimeUnixNano) >= BigInt(call.startTimeUnixNano)).to.equal(true);
  });

  it('begins a trace without a parent for a caller that has none, as GET /traces shows it', async () => {
    const { run_id } = await execute('demo.echo@1.0.0', { text: 'x' });
    const spans = await spansOf(run_id, 2);
    const [run] = spans.filter(({ kind }) => kind === server);
    expect(run?.parentSpanId ?? '').to.equal('');
    const { body } = await platform.call('GET', `/traces?run_id=${run_id}`);
    expect(body.spans[0]).to.deep.include({ trace_id: run?.traceId, span_id: run?.spanId });
    expect(body.spans[0]).not.to.have.property('parent_span_id');
  });

  it('sends the context of the call to its provider, and not in place of one that the inputs give', async () => {
    const url = `${target.url}/hook`;
    const { run_id } = await execute(
      'http.send@1.0.0',
      { url, method: 'POST', body: 'x' },
      { traceparent: `00-${trace}-${parent}-01` },
    );
    const [call] = (await spansOf(run_id, 2)).filter(({ kind }) => kind === client);
    expect(target.posts.at(-1)?.headers['traceparent']).to.equal(`00-${trace}-${call?.spanId}-01`);
    const own = `00-${trace}-${'1'.repeat(16)}-00`;
    await execute('http.send@1.0.0', { url, method: 'POST', body: 'x', headers: { traceparent: own } });
    expect(target.posts.at(-1)?.headers['traceparent']).to.equal(own);
  });

  it('leaves out a trace that its caller does not sample, and tells the provider so', async () => {
    const url = `${target.url}/hook`;
    const unsampled = await execute(
      'http.send@1.0.0',
      { url, method: 'POST', body: 'x' },
      { traceparent: `00-${trace}-${parent}-00` },
    );
    expect(target.posts.at(-1)?.headers['traceparent']).to.match(
      new RegExp(`^00-${trace}-(?!${parent})[0-9a-f]{16}-00$`),
    );
    const { run_id } = await execute('demo.echo@1.0.0', { text: 'x' });
    await spansOf(run_id, 2);
    await spansOf(unsampled.run_id, 0);
  });

  it('says by the status and the type of the error what failed', async () => {
    target.fault = { status: 500 };
    const { run_id, code } = await execute('http.send@1.0.0', { url: `${target.url}/hook`, method: 'POST', body: 'x' });
    target.fault = undefined;
    const spans = await until(
      () => collector.spans.filter(({ attributes }) => attributes['orb.run_id'] === run_id),
      (found) => found.some(({ kind }) => kind === server),
    );
    const [run] = spans.filter(({ kind }) => kind === server);
    expect(run).to.deep.include({ status: failed });
    expect(run?.attributes).to.deep.include({ 'error.type': code });
    const [call] = spans.filter(({ kind }) => kind === client);
    expect(call).to.deep.include({ status: failed });
    expect(call?.attributes['error.type']).to.be.a('string');
  });

  it('exports a swap', async () => {
    const { body } = await platform.call('POST', '/providers/demo.echo%401.0.0/swap', { provider: 'echo' });
    const [span] = await until(
      () => collector.spans.filter(({ attributes }) => attributes['orb.swap_id'] === body.swap_id),
      (spans) => spans.length === 1,
    );
    expect(span).to.deep.include({ name: 'swap_provider demo.echo', kind: internal });
  });

  it('exports the metrics of GET /metrics under their names and with their values', async () => {
    await execute('demo.echo@1.0.0', { text: 'x' });
    const find = (name: string) => collector.metrics.find((one) => one.name === name);
    const wanted = (await platform.call('GET', '/metrics')).body as string;
    const count = Number(
      /^orb_runs_total\{orb_id="demo\.echo@1\.0\.0",status="completed",mode="sandbox"\} (\d+)$/m.exec(wanted)?.[1],
    );
    expect(count).to.be.greaterThan(0);
    const runs = await until(
      () => find('orb_runs_total'),
      (one) =>
        one?.points.some(
          ({ asDouble, attributes }) => attributes['orb_id'] === 'demo.echo@1.0.0' && asDouble === count,
        ) === true,
    );
    expect(runs).to.deep.include({ type: 'sum', monotonic: true });
    const names = [...wanted.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    // What Node has under way is another thing at each look.
    const lasting = names.filter((name = '') => !name.startsWith('orb_nodejs_active_'));
    const sampled = lasting.filter((name) => new RegExp(`^${name}(?:_bucket)?[{ ]`, 'm').test(wanted));
    expect(collector.metrics.map(({ name }) => name)).to.include.members(sampled);
    expect(find('orb_leases')).to.deep.include({ type: 'gauge' });
    const histogram =
      collector.metrics.find(({ type }) => type === 'histogram')?.points[0] ?? expect.fail('no histogram');
    expect(histogram.bucketCounts).to.have.lengthOf((histogram.explicitBounds?.length ?? 0) + 1);
    expect(histogram.bucketCounts?.reduce((sum, one) => sum + Number(one), 0)).to.equal(Number(histogram.count));
  });

  it('names the program and the node', async () => {
    expect(collector.resource).to.deep.include({
      'service.name': 'agent-orb-platform',
      'telemetry.sdk.name': 'opentelemetry',
      'deployment.environment.name': 'test',
    });
    expect(collector.resource).to.include.keys('service.version', 'service.instance.id');
  });
});
