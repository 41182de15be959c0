import { Agent, request } from 'node:http';
import { expect } from 'chai';
import { createServed } from '../../../helpers/served.ts';
import { golden } from '../home.ts';

const soak = process.env['INGEST_SOAK'] === '1';
const perSecond = soak ? 500 : 250;
const total = soak ? 30_000 : 1_000;

describe('ingestion, killed in the middle', function () {
  this.timeout(900_000);

  it(`has stored all it acknowledged of ${total} deliveries at ${perSecond}/s`, async () => {
    const served = createServed();
    let at = await served.start();
    const call = caller(() => at);
    const limits = { burst: 100_000, rate_per_second: 10_000 };
    const made = await call('POST', '/sources', { name: 'am', vendor: 'alertmanager', limits });
    const sender = new Sender(`/hooks/${made.token}`, made.secret);
    const half = sender.send(() => at.url, total / 2);
    await sender.acknowledges(total / 4);
    await served.kill();
    at = await served.start();
    await half;
    await sender.send(() => at.url, total / 2);

    const stored = new Map<string, string>();
    for (let cursor = ''; ;) {
      const page = await call('GET', `/deliveries?limit=100${cursor}`);
      for (const { delivery_id, delivery_key } of page.deliveries) stored.set(delivery_id, delivery_key);
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    const lost = [...sender.acknowledged].filter((id) => !stored.has(id));
    console.log(`        ${sender.figures()}; ${stored.size} stored`);
    expect(lost).to.deep.equal([]);
    expect(sender.acknowledged.size, 'acknowledged before and after').to.be.greaterThan(total / 2);
    expect(new Set(stored.values()).size).to.equal(stored.size);

    // What was accepted before the kill is worked on after it.
    for (const deadline = Date.now() + 600_000; Date.now() < deadline;) {
      const { deliveries } = await call('GET', '/deliveries?state=queued&limit=1');
      if (deliveries.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await call('GET', '/deliveries?state=queued&limit=1')).deliveries).to.deep.equal([]);
    expect((await call('GET', '/deliveries?state=dead&limit=1')).deliveries).to.deep.equal([]);
    await served.stop();
    await served.remove();
  });
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- looks into answers of any shape
type Call = (method: string, path: string, body?: object) => Promise<any>;

function caller(at: () => { readonly url: string; readonly key: string }): Call {
  return async (method, path, body) => {
    const { url, key } = at();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };
}

/** Sends different deliveries at a steady rate, answered or not. */
class Sender {
  readonly acknowledged = new Set<string>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #path: string;
  readonly #secret: string;
  readonly #times: number[] = [];
  readonly #body = golden('alertmanager.resolved');
  #sent = 0;
  #failed = 0;

  constructor(path: string, secret: string) {
    this.#path = path;
    this.#secret = secret;
  }

  async send(url: () => string, count: number): Promise<void> {
    const begun = performance.now();
    const all: Promise<void>[] = [];
    for (let index = 0; index < count; index++) {
      const wait = begun + (index * 1000) / perSecond - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      all.push(this.#one(url(), this.#sent++));
    }
    await Promise.all(all);
  }

  async acknowledges(count: number): Promise<void> {
    while (this.acknowledged.size < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  figures(): string {
    const times = this.#times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
    const counts = `${this.#sent} sent, ${this.acknowledged.size} acknowledged, ${this.#failed} unanswered`;
    return `${counts}; acknowledgement p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
  }

  #one(url: string, index: number): Promise<void> {
    const body = this.#body.replaceAll('9f0a1b2c3d4e5f60', `fingerprint-${index}`);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#secret}` };
    const begun = performance.now();
    return new Promise((resolve) => {
      const failed = (): void => {
        this.#failed += 1;
        resolve();
      };
      const sent = request(url + this.#path, { method: 'POST', agent: this.#agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.once('error', failed).once('end', () => {
          if (answer.statusCode !== 202) return failed();
          this.#times.push(performance.now() - begun);
          this.acknowledged.add((JSON.parse(text) as { delivery_id: string }).delivery_id);
          return resolve();
        });
      });
      sent.once('error', failed).end(body);
    });
  }
}
