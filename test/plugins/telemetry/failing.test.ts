import { expect } from 'chai';
import { startCollector, type TestCollector } from '../../helpers/otlp.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

const secret = 's3cret-value';
const variables = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_BSP_MAX_QUEUE_SIZE: '4', OTEL_EXPORTER_OTLP_TIMEOUT: '1500' };

describe('an export whose collector fails', function () {
  this.timeout(60_000);
  let collector: TestCollector;
  let platform: TestPlatform;
  const lines: string[] = [];

  const run = async (): Promise<number> => {
    const call = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } };
    return (await platform.call('POST', '/orbisets/default/execute', call)).status;
  };
  const counted = async (result: string): Promise<number> => {
    const { body } = await platform.call('GET', '/metrics');
    return Number(
      new RegExp(`^orb_telemetry_spans_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(body as string)?.[1] ?? 0,
    );
  };
  const logged = (text: string): readonly string[] => lines.filter((line) => line.includes(text));

  before(async () => {
    Object.assign(process.env, variables);
    collector = await startCollector();
    platform = await startPlatform({
      env: { COLLECTOR_TOKEN: secret },
      onLog: (line) => lines.push(line),
      platform: {
        providers: { echo: { adapter: 'echo/local' } },
        plugins: {
          telemetry: {
            config: {
              endpoint: `${collector.url}/${secret}`,
              headers: { authorization: { $env: 'COLLECTOR_TOKEN' } },
              protocol: 'http/json',
            },
          },
        },
      },
    });
  });
  after(async () => {
    for (const name of Object.keys(variables)) delete process.env[name];
    await platform.stop();
    await collector.vendor.close();
  });

  it('counts what was exported, and what the collector rejected', async () => {
    collector.vendor.fault = { status: 200, body: { partialSuccess: { rejectedSpans: 1, errorMessage: secret } } };
    expect(await run()).to.equal(200);
    await until(() => counted('rejected'), Boolean);
    collector.vendor.fault = { status: 200, body: 'rubbish' };
    expect(await run()).to.equal(200);
    await until(
      () => counted('exported'),
      (count) => count >= 2,
    );
    expect(await counted('failed')).to.equal(0);
  });

  it('does not fail the runs, drops what does not fit, and says so once', async () => {
    collector.vendor.fault = 'hang';
    const statuses = await Promise.all(Array.from({ length: 30 }, run));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect(await until(() => counted('dropped'), Boolean)).to.be.greaterThan(0);
    await until(() => counted('failed'), Boolean);
    await run();
    await until(
      () => counted('failed'),
      (count) => count > 4,
    );
    expect(logged('did not take traces')).to.have.lengthOf(1);
    collector.vendor.fault = undefined;
    await run();
    await until(
      () => logged('takes traces again'),
      ({ length }) => length === 1,
    );
  });

  it('writes neither the headers nor the path of the collector', async () => {
    expect(collector.vendor.posts.map(({ headers }) => headers['authorization'])).to.include(secret);
    expect(logged(new URL(collector.url).host).length).to.be.greaterThan(0);
    expect(logged(secret)).to.deep.equal([]);
    const { body } = await platform.call('GET', '/config');
    expect(JSON.stringify(body)).to.include('headers');
    expect(JSON.stringify(body).replaceAll(`${collector.url}/${secret}`, '')).not.to.include(secret);
  });
});
