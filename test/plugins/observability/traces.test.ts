import { expect } from 'chai';
import { createRing } from '../../../plugins/observability/traces/span.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

describe('GET /traces', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const get = async (query = ''): Promise<Answer['body']> => (await platform.call('GET', `/traces${query}`)).body;
  const run = async (headers: Record<string, string> = {}): Promise<Answer['body']> => {
    const response = await fetch(`${platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'do not show this' } }),
    });
    return response.json();
  };
  before(async () => {
    platform = await startPlatform({
      platform: {
        providers: { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } },
        plugins: { observability: { config: { spans: 3 } } },
      },
    });
  });
  after(() => platform.stop());

  it("finds a run by its caller's trace, and leads to its receipt and to what was wrong", async () => {
    const scope = [{ kind: 'provider', id: 'echo' }];
    const incident = await platform.call('POST', '/incidents', { title: 'x', severity: 'info', scope });
    const other = [{ kind: 'provider', id: 'outbox' }];
    await platform.call('POST', '/incidents', { title: 'x', severity: 'info', scope: other });
    const { run_id, receipt } = await run({ traceparent: `00-${trace}-${parent}-01` });
    await run();
    const { spans } = await until(
      () => get(`?trace_id=${trace}`),
      (body) => body.spans.length === 1,
    );
    const [span] = spans;
    expect(span).to.deep.include({
      trace_id: trace,
      parent_span_id: parent,
      name: 'execute_tool demo.echo',
      status: 'ok',
    });
    expect(span.attributes).to.deep.include({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'demo.echo',
      'orb.orb': 'demo.echo@1.0.0',
      'orb.version': '1.0.0',
      'orb.run_id': run_id,
      'orb.receipt_id': receipt.receipt_id,
      'orb.provider': 'echo',
    });
    expect(span.links).to.deep.equal([
      { kind: 'run', id: run_id, path: `/runs/${run_id}` },
      { kind: 'receipt', id: receipt.receipt_id, path: `/receipts/${receipt.receipt_id}` },
      { kind: 'incident', id: incident.body.incident_id, path: `/incidents/${incident.body.incident_id}/evidence` },
    ]);
    for (const { path } of span.links) expect((await platform.call('GET', path)).status, path).to.equal(200);
    expect(JSON.stringify(spans)).not.to.include('do not show this');
  });

  it('begins a trace for a run whose caller has none or a bad one, and shows a swap', async () => {
    const { run_id } = await run({ traceparent: `00-${'0'.repeat(32)}-${parent}-01` });
    const [own] = (
      await until(
        () => get(`?run_id=${run_id}`),
        (body) => body.spans.length === 1,
      )
    ).spans;
    expect(own.trace_id).to.match(/^(?!0{32})[0-9a-f]{32}$/);
    const swap = await platform.call('POST', '/providers/demo.echo%401.0.0/swap', { provider: 'echo' });
    const { spans } = await until(
      () => get('?limit=1'),
      (body) => body.spans[0]?.attributes['orb.swap_id'] === swap.body.swap_id,
    );
    expect(spans[0].name).to.equal('swap_provider demo.echo');
  });

  it('keeps no more than it is told to', async () => {
    for (let count = 0; count < 5; count++) await run();
    expect((await get()).spans).to.have.lengthOf(3);
  });

  it("shows the runs of the key's tenant, swaps to readers of providers, and all to *", async () => {
    const key = (tenant: string, ...scopes: string[]) => platform.key({ name: 't', tenant, scopes });
    const { run_id } = await run();
    const seenBy = async (token: string) => {
      const { body } = await platform.call('GET', '/traces', undefined, token);
      const of = (name: string) => body.spans.some((span: { name: string }) => span.name.startsWith(name));
      return [of('execute_tool'), of('swap_provider')];
    };
    await platform.call('POST', '/providers/demo.echo%401.0.0/swap', { provider: 'echo' });
    await until(
      () => get(),
      ({ spans }) => /^swap_provider/.test(spans[0]?.name),
    );
    const [other, own] = [await key('acme', 'metrics:read'), await key('default', 'metrics:read')];
    expect(await seenBy(platform.adminKey)).to.deep.equal([true, true]);
    expect(await seenBy(own)).to.deep.equal([true, false]);
    expect(await seenBy(other)).to.deep.equal([false, false]);
    expect(await seenBy(await key('acme', 'metrics:read', 'providers:read'))).to.deep.equal([false, true]);
    const byId = await platform.call('GET', `/traces?run_id=${run_id}`, undefined, other);
    expect(byId.body.spans).to.deep.equal([]);
  });

  it('needs the scope metrics:read', async () => {
    const reader = await platform.key({ name: 'm', scopes: ['metrics:read'] });
    const stranger = await platform.key({ name: 'r', scopes: ['runs:read'] });
    expect((await platform.call('GET', '/traces', undefined, reader)).status).to.equal(200);
    expect((await platform.call('GET', '/traces', undefined, stranger)).status).to.equal(403);
    expect((await platform.call('GET', '/traces', undefined, null)).status).to.equal(401);
  });
});

describe('the ring of spans', () => {
  it('gives the newest first and forgets the oldest', () => {
    const ring = createRing<number>(3);
    expect([...ring.newest()]).to.deep.equal([]);
    for (const item of [1, 2]) ring.push(item);
    expect([...ring.newest()]).to.deep.equal([2, 1]);
    for (const item of [3, 4, 5, 6, 7]) ring.push(item);
    expect([...ring.newest()]).to.deep.equal([7, 6, 5]);
    expect([...ring.newest()]).to.have.lengthOf(3);
  });

  it('keeps nothing when it is told to', () => {
    const ring = createRing<number>(0);
    ring.push(1);
    expect([...ring.newest()]).to.deep.equal([]);
  });
});
