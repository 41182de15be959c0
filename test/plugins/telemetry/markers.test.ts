import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { startCollector, type TestCollector } from '../../helpers/otlp.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';

// TELEMETRY_SPANS: how many spans are looked through; in a soak 10,000.
const wanted = Number(process.env['TELEMETRY_SPANS'] ?? '200');

/** Makes texts that occur nowhere else. */
class Markers {
  readonly all: string[] = [];

  next(): string {
    const marker = `mark${randomBytes(8).toString('hex')}`;
    this.all.push(marker);
    return marker;
  }

  short(): string {
    const marker = `m${randomBytes(5).toString('hex')}`;
    this.all.push(marker);
    return marker;
  }

  digits(): string {
    const marker = `+4915${randomBytes(4).readUInt32BE().toString().padStart(10, '0')}`;
    this.all.push(marker);
    return marker;
  }
}

type Make = (markers: Markers, target: string) => { readonly orb_id: string; readonly inputs: object };

const web =
  (orb_id: string): Make =>
  (markers, target) => ({
    orb_id,
    inputs: {
      url: `${target}/${markers.next()}?${markers.next()}=${markers.next()}`,
      headers: { 'x-custom': markers.next(), traceparent: markers.next() },
      ...(orb_id.startsWith('http.send') ? { method: 'POST', body: markers.next() } : {}),
    },
  });

const makes: readonly Make[] = [
  (markers) => ({ orb_id: 'demo.echo@1.0.0', inputs: { text: markers.next() } }),
  (markers) => ({
    orb_id: 'notify.email@1.0.0',
    inputs: {
      to: `${markers.next()}@example.com`,
      cc: `${markers.next()} <${markers.next()}@example.com>`,
      from_address: `${markers.next()}@example.com`,
      subject: markers.next(),
      body: markers.next(),
      html: `<p>${markers.next()}</p>`,
    },
  }),
  (markers) => ({
    orb_id: 'notify.sms@1.0.0',
    inputs: { to: markers.digits(), text: markers.next(), from: markers.short() },
  }),
  (markers) => ({
    orb_id: 'notify.chat@1.0.0',
    inputs: { channel: markers.next(), text: markers.next(), title: markers.next(), thread: markers.next() },
  }),
  web('http.send@1.0.0'),
  web('http.fetch@1.0.0'),
  (markers) => ({
    orb_id: 'llm.chat@1.0.0',
    inputs: {
      model: markers.next(),
      messages: [{ role: 'user', content: [{ type: 'text', text: markers.next() }] }],
      stop: [markers.next()],
    },
  }),
  (markers) => ({ orb_id: 'llm.embed@1.0.0', inputs: { model: markers.next(), input: [markers.next()] } }),
  // Refused: no run, or one that fails.
  (markers) => ({ orb_id: 'demo.echo@1.0.0', inputs: { [markers.next()]: markers.next() } }),
  (markers, target) => ({
    orb_id: 'http.send@1.0.0',
    inputs: { url: `${target.replace('127.0.0.1', markers.next())}/`, method: 'POST' },
  }),
];

describe('exported spans', function () {
  this.timeout(60_000 + wanted * 30);
  let collector: TestCollector;
  let target: VendorServer;
  let platform: TestPlatform;
  const markers = new Markers();

  before(async () => {
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '20';
    process.env['OTEL_BSP_MAX_QUEUE_SIZE'] = '20000';
    collector = await startCollector();
    // It repeats what it got, and fails in many ways.
    target = await startVendor(({ body, headers, path }) => ({
      status: [200, 400, 404, 422, 500, 503][markers.all.length % 6] ?? 200,
      headers: { 'x-echo': path, 'retry-after': '0' },
      body: { path, headers, body: body.toString('utf8'), error: { message: path, code: path, type: path } },
    }));
    const port = Number(new URL(target.url).port);
    platform = await startPlatform({
      env: { RESEND_KEY: markers.next() },
      platform: {
        providers: {
          resend: { adapter: 'email/resend', config: { api_key: { $env: 'RESEND_KEY' }, base_url: target.url } },
          openai: { adapter: 'llm/openai-compatible', config: { base_url: `${target.url}/v1`, plain: true } },
          echo: { adapter: 'echo/local' },
          sms: { adapter: 'sms/outbox' },
          chat: { adapter: 'chat/outbox' },
          canned: { adapter: 'llm/canned' },
          web: { adapter: 'http/client', config: { allow: [{ host: '127.0.0.1', port, private: true, plain: true }] } },
        },
        bindings: { 'llm.chat@1.0.0': ['openai'], 'llm.embed@1.0.0': ['canned'] },
        plugins: { telemetry: { config: { endpoint: collector.url, metrics_interval_s: 1 } } },
      },
    });
  });
  after(async () => {
    delete process.env['OTEL_BSP_SCHEDULE_DELAY'];
    delete process.env['OTEL_BSP_MAX_QUEUE_SIZE'];
    await Promise.all([collector.vendor.close(), target.close()]);
  });

  it('hold no input, output or recipient, whatever became of the run', async () => {
    const statuses = new Map<number, number>();
    const execute = async (at: number): Promise<void> => {
      const make = makes[at % makes.length] ?? expect.fail('there is no such call');
      const { status } = await platform.call('POST', '/orbisets/default/execute', make(markers, target.url));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const exported = async (): Promise<number> => {
      const { body } = await platform.call('GET', '/metrics');
      return Number(/^orb_telemetry_spans_total\{result="exported"\} (\d+)$/m.exec(body as string)?.[1] ?? 0);
    };
    for (let at = 0; (await exported()) < wanted; at += 20)
      await Promise.all(Array.from({ length: 20 }, (_, one) => execute(at + one)));
    await until(() => collector.vendor.posts.some(({ path }) => path === '/v1/metrics'), Boolean);
    await platform.stop();
    expect([...statuses.keys()]).to.include.members([200, 422, 504]);
    const sent = Buffer.concat(collector.vendor.posts.map(({ body }) => body)).toString('latin1');
    expect(sent).to.include('llm.chat@1.0.0').and.include('orb.receipt_id').and.include('provider_rejected');
    expect(markers.all.length).to.be.greaterThan(wanted / 2);
    expect(markers.all.filter((marker) => sent.includes(marker))).to.deep.equal([]);
  });
});
