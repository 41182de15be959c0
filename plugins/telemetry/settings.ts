import { ConfigError, exactly, given, integer, optional, type Infer } from '../../kernel/index.ts';
import { endpointFault, headerFaults, pairsOf, samplerOf, type Sampling } from './standard.ts';

const member = { type: 'string', maxLength: 1024 } as const;

/** Schema of the settings of the export. */
export const config = exactly({
  endpoint: optional({
    type: 'string',
    maxLength: 2048,
    examples: ['http://127.0.0.1:4318'],
    description:
      'Address of an OpenTelemetry collector that takes OTLP over HTTP; `/v1/traces` and `/v1/metrics` are added to it. ' +
      'OTEL_EXPORTER_OTLP_ENDPOINT comes first. Default: nothing is exported',
  }),
  headers: optional({
    type: 'object',
    description: 'Headers of each request, such as the key of the collector; OTEL_EXPORTER_OTLP_HEADERS adds to them',
    additionalProperties: { ...member, maxLength: 8192, secret: true },
  }),
  protocol: optional({
    enum: ['http/protobuf', 'http/json'],
    default: 'http/protobuf',
    description: 'Form of the requests; OTEL_EXPORTER_OTLP_PROTOCOL comes first',
  }),
  traces: optional({ type: 'boolean', default: true, description: 'Export a span of each run, call and swap' }),
  metrics: optional({ type: 'boolean', default: true, description: 'Export the metrics of `GET /metrics`' }),
  sample_ratio: optional({
    ...{ type: 'number', minimum: 0, maximum: 1, default: 1 },
    description:
      'Part of the traces that begin here that is exported; of a trace of a caller, the caller decides. OTEL_TRACES_SAMPLER comes first',
  }),
  metrics_interval_s: optional(integer(1, 86_400, 60, 'Seconds between two exports of metrics')),
  service_name: optional({
    ...member,
    minLength: 1,
    description: 'The attribute `service.name`; OTEL_SERVICE_NAME comes first. Default: agent-orb-platform',
  }),
  attributes: optional({
    type: 'object',
    description:
      'Attributes of the resource, such as deployment.environment.name; OTEL_RESOURCE_ATTRIBUTES adds to them',
    additionalProperties: member,
  }),
});

/** Where one kind of data goes, and how. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: boolean;
  readonly gzip: boolean;
  /** One export takes at most so long, with its repetitions. */
  readonly timeoutMs: number;
}

/** What is exported, where, and how. */
export interface Settings {
  readonly traces?: Target;
  readonly metrics?: Target;
  readonly sampling: Sampling;
  /** Requests to providers carry the context of their trace. */
  readonly propagates: boolean;
  readonly resource: Readonly<Record<string, string>>;
  readonly metricsMs: number;
  /** Spans that wait at most, of one request, and how long they wait. */
  readonly queue: { readonly most: number; readonly batch: number; readonly delayMs: number };
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings and the environment variables of OpenTelemetry, which come first; undefined: nothing is exported.
 * Throws ConfigError, without the value of any.
 */
export function settingsOf(
  settings: Infer<typeof config>,
  environment: Env,
  about: Readonly<Record<string, string>>,
): Settings | undefined {
  // An empty variable counts as one that is not set.
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  const reader = new Reader(settings, env);
  const traces = reader.targetOf('traces');
  const metrics = reader.targetOf('metrics');
  const resource = reader.resource(about);
  const sampling = reader.sampling();
  const metricsMs = reader.number('OTEL_METRIC_EXPORT_INTERVAL', settings.metrics_interval_s * 1000);
  const most = reader.number('OTEL_BSP_MAX_QUEUE_SIZE', 2048);
  const batch = Math.min(most, reader.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512));
  const delayMs = reader.number('OTEL_BSP_SCHEDULE_DELAY', 5000);
  if (traces === undefined && metrics === undefined && reader.faults.length === 0) return undefined;
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  const propagates = (env['OTEL_PROPAGATORS'] ?? 'tracecontext')
    .split(',')
    .some((one) => one.trim() === 'tracecontext');
  return { ...given({ traces, metrics }), sampling, propagates, resource, metricsMs, queue: { most, batch, delayMs } };
}

const protocols = ['http/protobuf', 'http/json'];
const longestMs = 86_400_000;

class Reader {
  readonly faults: string[] = [];
  readonly #settings: Infer<typeof config>;
  readonly #env: Env;

  constructor(settings: Infer<typeof config>, env: Env) {
    this.#settings = settings;
    this.#env = env;
  }

  /** Finds where traces or metrics go; undefined: nowhere. */
  targetOf(kind: 'traces' | 'metrics'): Target | undefined {
    const exporter = this.#env[`OTEL_${kind.toUpperCase()}_EXPORTER`] ?? 'otlp';
    if (exporter === 'none' || !this.#settings[kind]) return undefined;
    const url = this.#url(kind);
    if (url === undefined) return undefined;
    if (exporter !== 'otlp') this.#fault(`OTEL_${kind.toUpperCase()}_EXPORTER`, 'must be `otlp` or `none`');
    const protocol = this.#of(kind, 'PROTOCOL') ?? { name: '', value: this.#settings.protocol };
    if (!protocols.includes(protocol.value))
      this.#fault(protocol.name, `must be \`http/protobuf\` or \`http/json\`; collectors take them at port 4318`);
    const compression = this.#of(kind, 'COMPRESSION');
    if (compression !== undefined && !['gzip', 'none'].includes(compression.value))
      this.#fault(compression.name, 'must be `gzip` or `none`');
    const timeout = this.#of(kind, 'TIMEOUT');
    return {
      ...{ origin: url.origin, path: url.pathname + url.search, headers: this.#headers(kind) },
      json: protocol.value === 'http/json',
      gzip: compression?.value === 'gzip',
      timeoutMs: timeout === undefined ? 10_000 : this.number(timeout.name, 10_000),
    };
  }

  /** Reads a whole number of a variable. */
  number(name: string, otherwise: number): number {
    const text = this.#env[name];
    if (text === undefined) return otherwise;
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= longestMs) return value;
    this.#fault(name, `must be a whole number from 1 to ${longestMs}`);
    return otherwise;
  }

  sampling(): Sampling {
    const [name, ratio] = [this.#env['OTEL_TRACES_SAMPLER'], this.#env['OTEL_TRACES_SAMPLER_ARG']];
    if (name === undefined) return { root: this.#settings.sample_ratio, parent: true };
    const found = samplerOf(name, ratio);
    if (typeof found !== 'string') return found;
    this.#fault(
      ratio === undefined || !found.startsWith('the ratio') ? 'OTEL_TRACES_SAMPLER' : 'OTEL_TRACES_SAMPLER_ARG',
      found,
    );
    return { root: 1, parent: true };
  }

  resource(about: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { service_name, attributes } = this.#settings;
    const named = given({ 'service.name': this.#env['OTEL_SERVICE_NAME'] });
    return {
      ...about,
      ...given({ 'service.name': service_name }),
      ...attributes,
      ...this.#pairs('OTEL_RESOURCE_ATTRIBUTES'),
      ...named,
    };
  }

  #url(kind: 'traces' | 'metrics'): URL | undefined {
    const own = this.#env[`OTEL_EXPORTER_OTLP_${kind.toUpperCase()}_ENDPOINT`];
    const all = this.#env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    const [name, text] =
      own !== undefined
        ? [`environment/OTEL_EXPORTER_OTLP_${kind.toUpperCase()}_ENDPOINT`, own]
        : all !== undefined
          ? ['environment/OTEL_EXPORTER_OTLP_ENDPOINT', all]
          : ['plugins.telemetry.config.endpoint', this.#settings.endpoint];
    if (text === undefined) return undefined;
    const fault = endpointFault(text);
    if (fault !== undefined) return void this.#note(`${name}: ${fault}`);
    const url = new URL(text);
    // opentelemetry.io/docs/specs/otel/protocol/exporter: the address of one kind is used as it is.
    if (own === undefined) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${kind}`;
    return url;
  }

  #headers(kind: 'traces' | 'metrics'): Readonly<Record<string, string>> {
    const own = `OTEL_EXPORTER_OTLP_${kind.toUpperCase()}_HEADERS`;
    const name = this.#env[own] === undefined ? 'OTEL_EXPORTER_OTLP_HEADERS' : own;
    const file = this.#settings.headers ?? {};
    for (const fault of headerFaults(file)) this.#note(`plugins.telemetry.config.headers: ${fault}`);
    const headers = this.#pairs(name);
    for (const fault of headerFaults(headers)) this.#fault(name, fault);
    const lower = (all: Readonly<Record<string, string>>) =>
      Object.entries(all).map(([key, value]) => [key.toLowerCase(), value]);
    return Object.fromEntries([...lower(file), ...lower(headers)]) as Readonly<Record<string, string>>;
  }

  #pairs(name: string): Readonly<Record<string, string>> {
    const text = this.#env[name];
    const found = text === undefined ? {} : pairsOf(text);
    if (found !== undefined) return found;
    this.#fault(name, 'must be `name=value,name=value`, each value percent-encoded');
    return {};
  }

  #of(kind: 'traces' | 'metrics', what: string): { readonly name: string; readonly value: string } | undefined {
    for (const name of [`OTEL_EXPORTER_OTLP_${kind.toUpperCase()}_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
      const value = this.#env[name]?.trim();
      if (value !== undefined) return { name, value };
    }
    return undefined;
  }

  #fault(name: string, text: string): void {
    this.#note(`environment/${name}: ${text}`);
  }

  #note(fault: string): void {
    if (!this.faults.includes(fault)) this.faults.push(fault);
  }
}
