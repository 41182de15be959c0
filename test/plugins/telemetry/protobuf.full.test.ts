import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { need } from '../../helpers/needs.ts';
import { startCollector } from '../../helpers/otlp.ts';
import { startPlatform } from '../../helpers/platform.ts';
import { runPython } from '../../helpers/python.ts';

interface Parsed {
  readonly kind: 'traces' | 'metrics';
  readonly unknown: boolean;
  readonly ids: readonly (readonly [number, number, number])[];
  readonly times: readonly boolean[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- messages of OTLP are read member by member
  readonly message: any;
}

describe('exports in protobuf', function () {
  this.timeout(120_000);

  it('parse with the types of OpenTelemetry, and hold nothing that these do not know', async function () {
    need(this, 'python');
    const collector = await startCollector();
    const platform = await startPlatform({
      platform: {
        providers: {
          echo: { adapter: 'echo/local' },
          canned: { adapter: 'llm/canned' },
          sms: { adapter: 'sms/outbox' },
        },
        plugins: { telemetry: { config: { endpoint: collector.url } } },
      },
    });
    const run = async (orb_id: string, inputs: object): Promise<number> =>
      (await platform.call('POST', '/orbisets/default/execute', { orb_id, inputs })).status;
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
    expect(await run('demo.echo@1.0.0', { text: 'x' })).to.equal(200);
    expect(await run('llm.chat@1.0.0', { model: 'm', messages })).to.equal(200);
    expect(await run('notify.push@1.0.0', { to: { topic: 'x' }, title: 'x', body: 'x' })).to.equal(503);
    // The last export at a stop has less than a second, and the first reading of all metrics may take as long.
    expect((await platform.call('GET', '/metrics')).status).to.equal(200);
    await platform.stop();
    const dir = mkdtempSync(join(tmpdir(), 'orb-otlp-'));
    collector.vendor.posts.forEach(({ body, path }, at) =>
      writeFileSync(join(dir, `${path.endsWith('/traces') ? 'traces' : 'metrics'}-${at}`), body),
    );
    const script = fileURLToPath(new URL('parse.py', import.meta.url));
    const found = JSON.parse(await runPython([script, dir], { cwd: dir })) as readonly Parsed[];
    rmSync(dir, { recursive: true });
    await collector.vendor.close();

    expect(found.map(({ kind }) => kind).sort()).to.deep.equal(['metrics', 'traces']);
    expect(found.filter(({ unknown }) => unknown)).to.deep.equal([]);
    const [traces, metrics] = (['traces', 'metrics'] as const).map((kind) => found.find((one) => one.kind === kind));
    // Three runs, and two calls.
    expect(traces?.ids).to.have.lengthOf(5);
    for (const [trace, span, parent] of traces?.ids ?? [])
      expect([trace, span, [0, 8].includes(parent)]).to.deep.equal([16, 8, true]);
    expect(traces?.times).to.deep.equal(Array.from({ length: 5 }, () => true));
    const spans = traces?.message.resourceSpans[0].scopeSpans[0].spans as readonly {
      readonly name: string;
      readonly kind: string;
    }[];
    expect(spans.map(({ kind, name }) => `${name} ${kind}`).sort()).to.deep.equal([
      'call echo SPAN_KIND_CLIENT',
      'chat SPAN_KIND_CLIENT',
      'chat SPAN_KIND_SERVER',
      'execute_tool demo.echo SPAN_KIND_SERVER',
      'execute_tool notify.push SPAN_KIND_SERVER',
    ]);
    const failed = JSON.stringify(spans.filter(({ name }) => name === 'execute_tool notify.push'));
    expect(failed).to.include('"STATUS_CODE_ERROR"').and.include('provider_unavailable');
    const names = metrics?.message.resourceMetrics[0].scopeMetrics[0].metrics as readonly { readonly name: string }[];
    expect(names.map(({ name }) => name)).to.include.members(['orb_runs_total', 'orb_leases']);
  });
});
