import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startSmtp, type SmtpReceiver } from './helpers/smtp.ts';
import { createServed, type Served } from './helpers/served.ts';
import { until } from './helpers/until.ts';
import { startVendor, type VendorServer } from './helpers/vendor.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);
const mails = rounds > 5 ? 1000 : 50;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly receipt_id?: string;
}

interface Callback {
  readonly callback_id: string;
  readonly run_id: string;
  readonly type: string;
  readonly state: string;
  readonly tries: number;
}

// Long enough that a kill finds callbacks that were taken but not noted.
const receiverMs = 20;

describe('kill -9 while e-mails wait', () => {
  let smtp: SmtpReceiver;
  let receiver: VendorServer;
  let served: Served;
  before(async () => {
    smtp = await startSmtp();
    receiver = await startVendor(
      () => new Promise((resolve) => setTimeout(() => resolve({ status: 204 }), receiverMs)),
    );
    const private_hosts = [{ host: '127.0.0.1', port: Number(new URL(receiver.url).port) }];
    served = createServed({
      plugins: { subscriptions: { config: { private_hosts } } },
      providers: { mail: { adapter: 'email/smtp', config: { host: '127.0.0.1', port: smtp.port, starttls: 'never' } } },
      bindings: { 'notify.email@1.0.0': ['mail'] },
    });
    // Of two at once a kill leaves at most two undecided.
    const orbiset = { id: 'line', tenant: 'default', orbs: ['*'], limits: { async_concurrency: 2 } };
    mkdirSync(join(served.home, 'data/orbisets'));
    writeFileSync(join(served.home, 'data/orbisets/line.json'), JSON.stringify(orbiset));
  });
  after(async () => {
    await served.remove();
    await receiver.close();
    await smtp.close();
  });

  it(`each ends: completed with one mail, indeterminate with at most one, all others without (${mails}, ${rounds} times)`, async function () {
    this.timeout(60_000 + rounds * 10_000 + mails * 200);
    const accepted = new Map<string, string>();
    let next = 0;
    let subscription = '';
    for (let round = 0; round < rounds; round++) {
      const { url, key } = await served.start();
      if (round === 0) subscription = await subscribe(url, key);
      const sent = smtp.messages.length;
      const share = Math.ceil(((round + 1) * mails) / rounds);
      const enqueue = async (): Promise<void> => {
        while (next < share) {
          const token = `m${next++}`;
          const runId = await ask(url, key, token);
          if (runId !== undefined) accepted.set(runId, token);
        }
      };
      const enqueued = Promise.all(Array.from({ length: 8 }, enqueue));
      // Every other time while some are still handed over, else in the middle of those that wait.
      if (round % 2 === 0) await enqueued;
      const enough = sent + 1 + ((round * 3) % 7);
      await until(
        () => smtp.messages.length,
        (count) => count >= Math.min(enough, share),
        'mails of this round',
        2,
      );
      await served.kill();
      await enqueued;
    }
    const { url, key } = await served.start();
    const get = async <T = Run>(path: string) =>
      (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<T>;
    const counts = new Map<string, number>();
    for (const [runId, token] of accepted) {
      const run = await until(
        () => get(`/runs/${runId}?wait=20`),
        ({ status }) => status !== 'queued' && status !== 'running',
        `the end of ${runId}`,
      );
      const arrived = smtp.messages.filter(({ raw }) => raw.includes(`Subject: ${token}\r\n`)).length;
      const allowed = run.status === 'completed' ? [1] : run.status === 'indeterminate' ? [0, 1] : [0];
      expect(allowed, `${run.status} ${token}`).to.include(arrived);
      const receipt = (await get(`/receipts/${run.receipt_id ?? ''}`)) as unknown as {
        signature_valid: boolean;
        statement: { predicate: { run_id: string; status: string } };
      };
      expect([receipt.signature_valid, receipt.statement.predicate.run_id]).to.deep.equal([true, runId]);
      counts.set(run.status, (counts.get(run.status) ?? 0) + 1);
    }
    const subjects = smtp.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1]);
    expect(new Set(subjects).size, 'a mail came twice').to.equal(subjects.length);
    console.log(
      `      ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')}, ${smtp.messages.length} mails`,
    );
    console.log(`      ${await expectCallbacks(get, subscription)}`);
    expect(counts.get('completed') ?? 0).to.be.greaterThan(mails / 2);
    expect(await served.stop()).to.equal(0);
  });

  async function subscribe(url: string, key: string): Promise<string> {
    const response = await fetch(`${url}/orbisets/line/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, types: ['run.*'] }),
    });
    expect(response.status).to.equal(201);
    return ((await response.json()) as { subscription: { subscription_id: string } }).subscription.subscription_id;
  }

  // Each run that ended has one callback, which was taken; what came twice came under the same id.
  async function expectCallbacks(get: <T>(path: string) => Promise<T>, subscription: string): Promise<string> {
    const all = async <T>(path: string, name: string): Promise<readonly T[]> => {
      const found: T[] = [];
      for (let cursor = ''; ;) {
        const page = await get<Readonly<Record<string, T[]>> & { readonly next_cursor?: string }>(
          `${path}?limit=100${cursor}`,
        );
        found.push(...(page[name] ?? []));
        if (page.next_cursor === undefined) return found;
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    const callbacks = await until(
      () => all<Callback>(`/subscriptions/${subscription}/callbacks`, 'callbacks'),
      (rows) => rows.every(({ state }) => state === 'delivered'),
      'the callbacks of all runs',
    );
    const typeOf = new Map(callbacks.map(({ run_id, type }) => [run_id, type]));
    const ended = await all<Run>('/runs', 'runs');
    expect([...typeOf.keys()].sort(), 'runs with a callback').to.deep.equal(ended.map(({ run_id }) => run_id).sort());
    expect(callbacks, 'one for each').to.have.length(typeOf.size);
    for (const { run_id, status } of ended) {
      const named = status === 'completed' || status === 'indeterminate';
      expect(typeOf.get(run_id), run_id).to.equal(named ? `run.${status}` : 'run.failed');
    }
    const ids = new Map(callbacks.map(({ run_id, callback_id }) => [run_id, callback_id]));
    const arrived = receiver.posts.map(({ headers, body }) => ({
      id: headers['webhook-id'],
      run: (JSON.parse(body.toString()) as { data: Run }).data.run_id,
    }));
    for (const { id, run } of arrived) expect(id, `the id of a callback of ${run}`).to.equal(ids.get(run));
    expect(new Set(arrived.map(({ id }) => id)).size, 'callbacks that arrived').to.equal(callbacks.length);
    return `${callbacks.length} callbacks of ${ended.length} runs, ${arrived.length - callbacks.length} of them came again`;
  }

  async function ask(url: string, key: string, token: string): Promise<string | undefined> {
    const inputs = { to: 'ada@example.com', from_address: 'orb@example.com', subject: token, body: 'x' };
    // Nobody promised anything of a run that was not answered.
    const response = await fetch(`${url}/orbisets/line/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ orb_id: 'notify.email@1.0.0', inputs }),
    }).catch(() => undefined);
    if (response === undefined) return undefined;
    expect(response.status).to.equal(202);
    return response.json().then(
      (run) => (run as Run).run_id,
      () => undefined,
    );
  }
});
