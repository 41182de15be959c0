import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/index.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';
import { ingestMetrics } from '../../../../plugins/ingestion/deliveries/metrics.ts';
import { sendRaw } from '../../../helpers/http.ts';
import { startIngestion, type Hooked, type IngestionHome, type MadeSource } from '../home.ts';

const kib = 1024;

describe('the count of refused requests', function () {
  this.timeout(120_000);
  let home: IngestionHome;
  const limits = { most_queued: 1, most_bytes: 1024 * kib, read_ms: 100 };
  before(async () => {
    const platform = { plugins: { ingestion: { config: limits } }, providers: { echo: { adapter: 'echo/local' } } };
    home = await startIngestion({ platform });
  });
  after(() => home.stop());

  const counted = async (): Promise<Record<string, number>> => {
    const text = String(await home.get('/metrics'));
    const found = text.matchAll(/^orb_ingest_refusals_total\{.*reason="(\w+)".*\} (\d+)/gm);
    return Object.fromEntries([...found].map(([, reason, count]) => [reason, Number(count)]));
  };
  /** Makes a request, and answers its status with the reason that was counted for it. */
  const refused = async (request: () => Promise<number>): Promise<string> => {
    const before = await counted();
    const status = await request();
    const after = Object.entries(await counted());
    const more = after.flatMap(([reason, count]) => Array<string>(count - (before[reason] ?? 0)).fill(reason));
    return [status, ...more].join(' ');
  };
  const made = (more: object = {}): Promise<MadeSource> => home.source({ name: 'am', vendor: 'alertmanager', ...more });
  const send = async ({ path, secret }: MadeSource, { headers, body = '{}' }: Hooked = {}): Promise<number> =>
    (await home.hook(path, { headers: { authorization: `Bearer ${secret}`, ...headers }, body })).status;

  it('has each request that is answered 401, 413 or 503, once', async () => {
    const small = await made({ limits: { max_bytes: 2 * kib, rate_per_second: 1, burst: 1 } });
    const large = await made({ limits: { max_bytes: 2048 * kib } });
    const headers = { 'content-encoding': 'gzip' };
    const wrong = { headers: { authorization: 'Bearer nobody' } };
    expect(await refused(() => send(small, wrong))).to.equal('401 authentication');
    expect(await refused(() => send(small, { body: 'x'.repeat(3 * kib) }))).to.equal('413 size');
    expect(await refused(() => send(small, { headers, body: gzipSync('x'.repeat(3 * kib)) }))).to.equal('413 size');
    expect(await refused(() => send(small)), 'the token is used').to.equal('503 rate');
    expect(await refused(() => send(large, { body: 'x'.repeat(1025 * kib) }))).to.equal('503 pressure');
    const head = `POST ${large.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`;
    const slow = async (): Promise<number> => Number((await sendRaw(home.platform.url, head)).split(' ')[1]);
    expect(await refused(slow)).to.equal('503 pressure');
    for (let failed = 0; failed < 60; failed++) await send(large, wrong);
    expect(await refused(() => send(large))).to.equal('503 authentication');
    const paused = await made({ paused: true });
    expect(await refused(() => send(paused))).to.equal('202');
    expect(await refused(() => send(paused))).to.equal('503 pressure');
  });

  it('has no request that failed in another way', async () => {
    const metrics = createMetrics();
    const { counted: count } = ingestMetrics(metrics);
    for (const code of [
      'payload_too_large',
      'overloaded',
      'storage_unavailable',
      'malformed_request',
      'internal',
    ] as const)
      await count('github', () => Promise.reject(new PlatformError(code, 'no'))).catch(() => undefined);
    await count('github', () => Promise.reject(new Error('a defect'))).catch(() => undefined);
    const lines = (await metrics.show()).text.split('\n');
    expect(lines.filter((line) => line.startsWith('orb_ingest_refusals_total{'))).to.deep.equal([
      'orb_ingest_refusals_total{vendor="github",reason="size"} 1',
      'orb_ingest_refusals_total{vendor="github",reason="pressure"} 2',
    ]);
  });
});
