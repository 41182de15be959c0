import { expect } from 'chai';
import { compile, ConfigError } from '../../../kernel/index.ts';
import { config as schema, settingsOf, type Settings } from '../../../plugins/telemetry/settings.ts';
import { guideBlocks } from '../../helpers/guide.ts';

const about = { 'service.name': 'orb', 'service.version': '1' };
const endpoint = 'http://collector:4318';
type Config = Partial<Parameters<typeof settingsOf>[0]>;
const defaults = {
  traces: true,
  metrics: true,
  protocol: 'http/protobuf',
  sample_ratio: 1,
  metrics_interval_s: 60,
} as const;

const read = (config: Config, env: Readonly<Record<string, string>> = {}): Settings | undefined =>
  settingsOf({ ...defaults, ...config }, env, about);

function faultsOf(config: Config, env: Readonly<Record<string, string>>): string {
  try {
    read(config, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('the settings of the export', () => {
  it('export nothing unless a collector is named', () => {
    expect(read({})).to.equal(undefined);
    expect(read({ service_name: 'x', traces: true })).to.equal(undefined);
    expect(read({ endpoint }, { OTEL_SDK_DISABLED: 'TRUE' })).to.equal(undefined);
    expect(read({ endpoint, traces: false, metrics: false })).to.equal(undefined);
    expect(read({ endpoint }, { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })).to.equal(undefined);
    expect(read({}, { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).to.equal(undefined);
  });

  it('have defaults', () => {
    expect(read({ endpoint })).to.deep.equal({
      traces: { origin: endpoint, path: '/v1/traces', headers: {}, json: false, gzip: false, timeoutMs: 10_000 },
      metrics: { origin: endpoint, path: '/v1/metrics', headers: {}, json: false, gzip: false, timeoutMs: 10_000 },
      sampling: { root: 1, parent: true },
      propagates: true,
      resource: about,
      metricsMs: 60_000,
      queue: { most: 2048, batch: 512, delayMs: 5000 },
    });
  });

  const env = (name: string, value: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://env/base/', [name]: value });
  const cases: readonly (readonly [
    string,
    Config,
    Readonly<Record<string, string>>,
    (settings: Settings | undefined) => unknown,
    unknown,
  ])[] = [
    [
      'an address of the environment comes first',
      { endpoint },
      env('X', ''),
      (s) => [s?.traces?.origin, s?.traces?.path],
      ['https://env', '/base/v1/traces'],
    ],
    [
      'the address of one kind is used as it is',
      { endpoint },
      env('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://t/here?a=b'),
      (s) => [s?.traces?.origin, s?.traces?.path, s?.metrics?.origin],
      ['http://t', '/here?a=b', 'https://env'],
    ],
    [
      'only traces',
      {},
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t' },
      (s) => [s?.traces?.path, s?.metrics],
      ['/', undefined],
    ],
    [
      'headers are joined',
      { endpoint, headers: { 'X-A': 'file', 'X-B': 'file' } },
      { OTEL_EXPORTER_OTLP_HEADERS: 'x-a=env%20value, x-c = 3' },
      (s) => s?.traces?.headers,
      { 'x-a': 'env value', 'x-b': 'file', 'x-c': '3' },
    ],
    [
      'headers of one kind',
      { endpoint },
      { OTEL_EXPORTER_OTLP_HEADERS: 'a=1', OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'b=2' },
      (s) => [s?.traces?.headers, s?.metrics?.headers],
      [{ a: '1' }, { b: '2' }],
    ],
    ['JSON', { endpoint, protocol: 'http/json' }, {}, (s) => s?.traces?.json, true],
    [
      'the protocol of the environment',
      { endpoint, protocol: 'http/json' },
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
      (s) => s?.traces?.json,
      false,
    ],
    ['gzip', { endpoint }, { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, (s) => s?.metrics?.gzip, true],
    [
      'a timeout',
      { endpoint },
      { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500' },
      (s) => [s?.traces?.timeoutMs, s?.metrics?.timeoutMs],
      [500, 10_000],
    ],
    [
      'names',
      { endpoint, service_name: 'file', attributes: { a: 'file', b: 'file' } },
      { OTEL_RESOURCE_ATTRIBUTES: 'a=env,service.name=listed' },
      (s) => s?.resource,
      { ...about, 'service.name': 'listed', a: 'env', b: 'file' },
    ],
    [
      'the name of the service comes first',
      { endpoint },
      { OTEL_SERVICE_NAME: 'named', OTEL_RESOURCE_ATTRIBUTES: 'service.name=listed' },
      (s) => s?.resource['service.name'],
      'named',
    ],
    ['a part of the traces', { endpoint, sample_ratio: 0.25 }, {}, (s) => s?.sampling, { root: 0.25, parent: true }],
    [
      'a sampler',
      { endpoint, sample_ratio: 0.25 },
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' },
      (s) => s?.sampling,
      { root: 0.5, parent: false },
    ],
    [
      'no sampling',
      { endpoint },
      { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
      (s) => s?.sampling,
      { root: 0, parent: true },
    ],
    ['no propagation', { endpoint }, { OTEL_PROPAGATORS: 'none' }, (s) => s?.propagates, false],
    [
      'propagation among others',
      { endpoint },
      { OTEL_PROPAGATORS: 'baggage, tracecontext' },
      (s) => s?.propagates,
      true,
    ],
    [
      'a queue',
      { endpoint },
      { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_SCHEDULE_DELAY: '5' },
      (s) => s?.queue,
      { most: 10, batch: 10, delayMs: 5 },
    ],
    ['an interval', { endpoint, metrics_interval_s: 2 }, {}, (s) => s?.metricsMs, 2000],
    ['an interval of the environment', { endpoint }, { OTEL_METRIC_EXPORT_INTERVAL: '300' }, (s) => s?.metricsMs, 300],
  ];
  for (const [name, config, variables, of, wanted] of cases)
    it(`read ${name}`, () => {
      expect(of(read(config, variables))).to.deep.equal(wanted);
    });

  it('fit as the page on monitoring shows them', () => {
    const [block] = guideBlocks('plugins/docs/pages/operate/monitoring.md').filter(
      ({ language }) => language === 'json',
    );
    const text = (block?.code ?? '').replace('{ "$env": "COLLECTOR_TOKEN" }', '"token"');
    const { config } = (JSON.parse(text) as { readonly plugins: { readonly telemetry: { readonly config: Config } } })
      .plugins.telemetry;
    expect(compile(schema)(config)).to.deep.equal([]);
    expect(read(config)?.traces?.origin).to.equal('https://collector.example.com:4318');
  });

  const secret = 's3cret-value';
  const wrong: readonly (readonly [Config, Readonly<Record<string, string>>, string])[] = [
    [{ endpoint: `collector/${secret}` }, {}, 'plugins.telemetry.config.endpoint: must be the address of a collector'],
    [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: `grpc://${secret}` },
      'environment/OTEL_EXPORTER_OTLP_ENDPOINT: must be the address',
    ],
    [
      {},
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: '4318' },
      'environment/OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: must be the address',
    ],
    [{ endpoint: `http://user:${secret}@collector` }, {}, 'must not hold a user or a password; put them into a header'],
    [
      { endpoint },
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'environment/OTEL_EXPORTER_OTLP_PROTOCOL: must be `http/protobuf` or `http/json`',
    ],
    [
      { endpoint },
      { OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' },
      'environment/OTEL_EXPORTER_OTLP_COMPRESSION: must be `gzip` or `none`',
    ],
    [
      { endpoint },
      { OTEL_EXPORTER_OTLP_HEADERS: secret },
      'environment/OTEL_EXPORTER_OTLP_HEADERS: must be `name=value',
    ],
    [
      { endpoint },
      { OTEL_EXPORTER_OTLP_HEADERS: `a=%zz${secret}` },
      'environment/OTEL_EXPORTER_OTLP_HEADERS: must be `name=value',
    ],
    [
      { endpoint },
      { OTEL_EXPORTER_OTLP_HEADERS: `a=${secret}%0A` },
      'the value of a has characters that no header may have',
    ],
    [{ endpoint, headers: { host: secret } }, {}, 'plugins.telemetry.config.headers: host is set by the program'],
    [{ endpoint }, { OTEL_RESOURCE_ATTRIBUTES: 'x' }, 'environment/OTEL_RESOURCE_ATTRIBUTES: must be `name=value'],
    [
      { endpoint },
      { OTEL_TRACES_SAMPLER: 'jaeger_remote' },
      'environment/OTEL_TRACES_SAMPLER: must be one of always_on, always_off',
    ],
    [
      { endpoint },
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'environment/OTEL_TRACES_SAMPLER_ARG: the ratio must be a number from 0 to 1',
    ],
    [
      { endpoint },
      { OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' },
      'environment/OTEL_EXPORTER_OTLP_TIMEOUT: must be a whole number',
    ],
    [{ endpoint }, { OTEL_BSP_MAX_QUEUE_SIZE: '0' }, 'environment/OTEL_BSP_MAX_QUEUE_SIZE: must be a whole number'],
    [{ endpoint }, { OTEL_TRACES_EXPORTER: 'zipkin' }, 'environment/OTEL_TRACES_EXPORTER: must be `otlp` or `none`'],
  ];
  for (const [config, variables, sentence] of wrong)
    it(`refuse what is wrong: ${sentence}`, () => {
      const found = faultsOf(config, variables);
      expect(found).to.include(sentence);
      expect(found).not.to.include(secret);
    });
});
