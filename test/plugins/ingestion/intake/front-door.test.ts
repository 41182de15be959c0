import { createHash, createHmac } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sendRaw } from '../../../helpers/http.ts';
import { golden, startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

const json = { 'content-type': 'application/json' };

describe('the front door', function () {
  this.timeout(120_000);
  let home: IngestionHome;
  let bearer: MadeSource;
  before(async () => {
    home = await startIngestion();
    bearer = await home.source({ name: 'am', vendor: 'alertmanager' });
  });
  after(() => home.stop());

  const authorized = (source = bearer) => ({ ...json, authorization: `Bearer ${source.secret}` });
  const alerts = (fingerprint: string) => golden('alertmanager.firing').replace('9f0a1b2c3d4e5f60', fingerprint);

  it('answers an unknown token 404 as any unknown route, whatever the method', async () => {
    for (const method of ['POST', 'PUT', 'GET', 'OPTIONS']) {
      const answer = await home.hook('/hooks/nobody', { method });
      expect(answer.status, method).to.equal(404);
      expect(answer.body.code).to.equal('route_not_found');
    }
  });

  it('answers 405 with Allow for a method the vendor does not use', async () => {
    const answer = await home.hook(bearer.path, { method: 'PUT', headers: authorized(), body: '{}' });
    expect(answer.status).to.equal(405);
    expect(answer.headers.get('allow')).to.equal('POST');
  });

  it('needs no key, and shows no token in its log', async () => {
    const lines: string[] = [];
    const other = await startIngestion({ onLog: (line) => lines.push(line) });
    const source = await other.source({ name: 'am', vendor: 'alertmanager' });
    const answer = await other.hook(source.path, { headers: authorized(source), body: alerts('log') });
    await other.settled(answer.body.delivery_id);
    await other.hook(source.path, { body: 'x' });
    await other.stop();
    expect(lines.join('\n')).to.not.include(source.path.slice('/hooks/'.length)).and.not.include(source.secret);
  });

  it('keeps the body exactly as it came, with its digest', async () => {
    const body = Buffer.from(`\ufeff${alerts('exact')}\r\n`);
    const { body: answer } = await home.hook(bearer.path, { headers: authorized(), body });
    const { delivery, raw_kept } = await home.settled(answer.delivery_id);
    const raw = await fetch(`${home.platform.url}/deliveries/${answer.delivery_id}/raw`, {
      headers: { authorization: `Bearer ${home.platform.adminKey}` },
    });
    const bytes = Buffer.from(await raw.arrayBuffer());
    expect(bytes.equals(body)).to.equal(true);
    expect(delivery.digest).to.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    expect([delivery.state, raw_kept]).to.deep.equal(['done', true]);
    expect(raw.headers.get('content-disposition')).to.match(/^attachment/);
  });

  it('inflates gzip and deflate after authentication', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
    ] as const) {
      const body = pack(alerts(encoding));
      const headers = { ...authorized(), 'content-encoding': encoding };
      const { status, body: answer } = await home.hook(bearer.path, { headers, body });
      expect(status).to.equal(202);
      expect((await home.settled(answer.delivery_id)).delivery).to.include({ state: 'done', signals: 1 });
    }
  });

  it('answers 413 to what inflates too far, and inflates nothing for whoever is not authenticated', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const packed = { ...authorized(), 'content-encoding': 'gzip' };
    expect((await home.hook(bearer.path, { headers: packed, body: bomb })).status).to.equal(413);
    const foreign = { ...packed, authorization: 'Bearer nobody' };
    expect((await home.hook(bearer.path, { headers: foreign, body: bomb })).status).to.equal(401);
  });

  it('keeps what it cannot inflate as a dead letter, brotli among it', async () => {
    const cases = [
      ['br', brotliCompressSync(Buffer.alloc(50 * 1024 * 1024))],
      ['gzip', gzipSync(alerts('cut')).subarray(0, 60)],
      ['zstd', Buffer.from('whatever')],
    ] as const;
    for (const [encoding, body] of cases) {
      const headers = { ...authorized(), 'content-encoding': encoding };
      const { status, body: answer } = await home.hook(bearer.path, { headers, body });
      expect(status, encoding).to.equal(202);
      const { delivery } = await home.settled(answer.delivery_id);
      expect(delivery).to.include({ state: 'dead', reason: 'content_encoding' });
    }
  });

  it('answers 413 above the limit of the vendor, and of the source', async () => {
    const small = await home.source({ name: 'small', vendor: 'alertmanager', limits: { max_bytes: 2048 } });
    const body = JSON.stringify({ alerts: [], pad: 'x'.repeat(3000) });
    expect((await home.hook(small.path, { headers: authorized(small), body })).status).to.equal(413);
    const { path } = await home.source({ name: 'pd', vendor: 'pagerduty' });
    expect((await home.hook(path, { headers: json, body: Buffer.alloc(1024 * 1024 + 1) })).status).to.equal(413);
  });

  it('answers 503 with Retry-After, never 429, to a source that sends too much', async () => {
    const limits = { rate_per_second: 1, burst: 2 };
    const fast = await home.source({ name: 'fast', vendor: 'alertmanager', limits });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index++) {
      const answer = await home.hook(fast.path, { headers: authorized(fast), body: alerts(`fast-${index}`) });
      statuses.push(answer.status);
      if (answer.status === 503) expect(answer.headers.get('retry-after')).to.equal('1');
    }
    expect(statuses).to.deep.equal([202, 202, 503]);
    const other = await home.hook(bearer.path, { headers: authorized(), body: alerts('other') });
    expect(other.status, 'another source').to.equal(202);
  });

  it('does not let a stranger with the address use up what the source may send', async () => {
    const limits = { rate_per_second: 1, burst: 1 };
    const source = await home.source({ name: 'quiet', vendor: 'alertmanager', limits });
    for (let index = 0; index < 5; index++)
      expect((await home.hook(source.path, { headers: json, body: '{}' })).status).to.equal(401);
    expect((await home.hook(source.path, { headers: authorized(source), body: alerts('q') })).status).to.equal(202);
  });

  it('stops listening to an address that keeps failing', async () => {
    const source = await home.source({ name: 'guessed', vendor: 'alertmanager' });
    const statuses = new Set<number>();
    for (let index = 0; index < 61; index++) statuses.add((await home.hook(source.path, { body: '{}' })).status);
    expect([...statuses]).to.deep.equal([401, 503]);
  });

  it('answers 503 and hangs up when a body does not arrive in time; 503 when too many bytes are on their way', async () => {
    const config = { read_ms: 150, most_bytes: 1024 * 1024 };
    const platform = { plugins: { ingestion: { config } }, providers: { echo: { adapter: 'echo/local' } } };
    const slow = await startIngestion({ platform });
    const source = await slow.source({ name: 'am', vendor: 'alertmanager', limits: { max_bytes: 2 * 1024 * 1024 } });
    const head = `POST ${source.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${source.secret}\r\n`;
    const late = await sendRaw(slow.platform.url, `${head}Content-Length: 100\r\n\r\n{`);
    expect(late)
      .to.match(/^HTTP\/1\.1 503 /)
      .and.match(/retry-after: 5/i);
    const much = await slow.hook(source.path, { headers: authorized(source), body: Buffer.alloc(1024 * 1024 + 1) });
    expect(much.status).to.equal(503);
    await slow.stop();
  });

  it('takes the handshake of CloudEvents, and no other', async () => {
    const source = await home.source({ name: 'ce', vendor: 'cloudevents', limits: { rate_per_second: 2 } });
    const headers = { 'webhook-request-origin': 'eventemitter.example.com' };
    const answer = await home.hook(source.path, { method: 'OPTIONS', headers });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('webhook-allowed-origin')).to.equal('eventemitter.example.com');
    expect(answer.headers.get('webhook-allowed-rate')).to.equal('120');
    expect(answer.headers.get('allow')).to.equal('POST');
    const none = await home.hook(bearer.path, { method: 'OPTIONS', headers });
    expect([none.status, none.headers.get('webhook-allowed-origin')]).to.deep.equal([204, null]);
  });

  it('counts a signed time that is too old or too new as no proof', async () => {
    const source = await home.source({ name: 'sw', vendor: 'standard-webhooks' });
    const key = Buffer.from(source.secret.slice('whsec_'.length), 'base64');
    const body = golden('standard-webhooks.firing');
    const now = Date.UTC(2026, 10, 21, 12) / 1000;
    const send = (seconds: number) => {
      const mac = createHmac('sha256', key).update(`m.${seconds}.${body}`).digest('base64');
      const headers = { 'webhook-id': 'm', 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${mac}` };
      return home.hook(source.path, { headers, body });
    };
    expect((await send(now - 400)).status).to.equal(401);
    expect((await send(now + 300)).status).to.equal(401);
    expect((await send(now - 100)).status).to.equal(202);
  });
});
