import { expect } from 'chai';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollector, type TestCollector } from '../../helpers/otlp.ts';
import { checkoutProgram } from '../../helpers/program.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';

const secret = 's3cret-value';

describe('the process of a server', function () {
  this.timeout(120_000);
  let dir: string;
  let collector: TestCollector;
  let served: Served | undefined;

  const serve = async (more: Readonly<Record<string, string>>) => {
    const serverEnv = { LOADED: join(dir, 'loaded'), ...more };
    served = createServed({}, { preload: new URL('loaded.ts', import.meta.url), program: checkoutProgram, serverEnv });
    const { key, url } = await served.start();
    const call = async (path: string, body?: object): Promise<string> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return (await fetch(url + path, { headers, ...init })).text();
    };
    return { call, run: () => call('/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } }) };
  };
  const loaded = (): readonly string[] => {
    const file = join(dir, 'loaded');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orb-loaded-'));
    collector = await startCollector();
  });
  afterEach(async () => {
    await served?.remove();
    await collector.vendor.close();
    rmSync(dir, { recursive: true });
  });

  it('has no module of OpenTelemetry when nothing is exported', async () => {
    const { call, run } = await serve({});
    expect(await run()).to.include('"completed"');
    await call('/traces');
    await call('/metrics');
    await served?.stop();
    expect(loaded()).to.deep.equal([]);
  });

  it('exports by the variables of the environment, and what waits at its end', async () => {
    const { call, run } = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secret}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'orbs-of-test',
      OTEL_METRIC_EXPORT_INTERVAL: '300',
    });
    await run();
    expect(await call('/config')).not.to.include(secret);
    await until(
      () => collector.metrics.map(({ name }) => name),
      (names) => names.includes('orb_runs_total'),
    );
    expect(await served?.stop()).to.equal(0);
    expect(collector.spans).to.have.lengthOf(2);
    expect(collector.resource).to.deep.include({ 'service.name': 'orbs-of-test' });
    const keys = new Set(collector.vendor.posts.map(({ headers }) => headers['authorization']));
    expect(keys).to.deep.equal(new Set([`Bearer ${secret}`]));
    expect(loaded().length).to.be.greaterThan(0);
  });

  it('ends although the collector is silent for longer than this test lasts', async () => {
    collector.vendor.fault = 'hang';
    const { run } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
    await run();
    expect(await served?.stop()).to.equal(0);
    await until(() => collector.vendor.posts.length, Boolean);
  });

  it('does not start with an address that is none', async () => {
    const started = serve({ OTEL_EXPORTER_OTLP_ENDPOINT: `collector-${secret}` });
    const { message } = await started.then(
      () => expect.fail('it started'),
      (error: Error) => error,
    );
    expect(message).to.include('orb serve ended with 78');
    expect(message).to.include('OTEL_EXPORTER_OTLP_ENDPOINT: must be the address of a collector, such as http://');
    expect(message).not.to.include(secret);
  });
});
