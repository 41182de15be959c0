import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startSmtp, type SmtpReceiver } from './helpers/smtp.ts';
import { createServed, type Served } from './helpers/served.ts';
import { until } from './helpers/until.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 5);
const mails = rounds > 5 ? 1000 : 50;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly receipt_id?: string;
}

describe('kill -9 while e-mails wait', () => {
  let smtp: SmtpReceiver;
  let served: Served;
  before(async () => {
    smtp = await startSmtp();
    served = createServed({
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
    await smtp.close();
  });

  it(`each ends: completed with one mail, indeterminate with at most one, all others without (${mails}, ${rounds} times)`, async function () {
    this.timeout(60_000 + rounds * 10_000 + mails * 200);
    const accepted = new Map<string, string>();
    let next = 0;
    for (let round = 0; round < rounds; round++) {
      const { url, key } = await served.start();
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
    const get = async (path: string) =>
      (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<Run>;
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
    expect(counts.get('completed') ?? 0).to.be.greaterThan(mails / 2);
    expect(await served.stop()).to.equal(0);
  });

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
