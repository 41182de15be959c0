import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { usePostgres } from './helpers/use-postgres.ts';
import { createServed, type Served } from './helpers/served.ts';
import { startSmtp, type SmtpReceiver } from './helpers/smtp.ts';
import { until } from './helpers/until.ts';

const mails = 60;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly receipt_id?: string;
}

describe('two servers on one database', function () {
  this.timeout(240_000);
  const postgres = usePostgres();
  let smtp: SmtpReceiver;
  let first: Served;
  let second: Served;
  let at: { readonly url: string; readonly key: string };

  before(async () => {
    await postgres.client('orb');
    smtp = await startSmtp();
    const platform = {
      providers: { mail: { adapter: 'email/smtp', config: { host: '127.0.0.1', port: smtp.port, starttls: 'never' } } },
      bindings: { 'notify.email@1.0.0': ['mail'] },
    };
    const env = { ORB_STORE_URL: postgres.url('orb'), ORB_MASTER_KEY: 'cd'.repeat(32) };
    [first, second] = ['a', 'b'].map((node) => createServed(platform, { env: { ...env, ORB_NODE: node } })) as [
      Served,
      Served,
    ];
  });
  after(async () => {
    await first?.remove();
    await second?.remove();
    await smtp?.close();
  });

  async function call<T>(method: string, path: string, body?: object, headers: object = {}): Promise<T> {
    const response = await fetch(at.url + path, {
      method,
      headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  }
  const mail = (token: string) => ({
    orb_id: 'notify.email@1.0.0',
    inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: token, body: 'x' },
  });
  const send = (token: string, prefer = ''): Promise<Run> =>
    call<Run>('POST', '/orbisets/default/execute', mail(token), {
      'idempotency-key': `key-${token}`,
      ...(prefer === '' ? {} : { prefer }),
    });
  const arrived = (token: string): number =>
    smtp.messages.filter(({ raw }) => raw.includes(`Subject: ${token}\r\n`)).length;

  it('serve one after the other: the second waits, and goes on where the first was killed', async () => {
    at = await first.start();
    const told = await send('before');
    expect(told.status).to.equal('completed');
    let serves = false;
    const taken = second.start().then((found) => ((serves = true), found));
    const accepted = new Map<string, string>();
    let next = 0;
    const enqueue = async (): Promise<void> => {
      for (let token = `m${next++}`; next <= mails; token = `m${next++}`) {
        const run = await send(token, 'respond-async').catch(() => undefined);
        if (run?.run_id !== undefined) accepted.set(run.run_id, token);
      }
    };
    const enqueued = Promise.all(Array.from({ length: 8 }, enqueue));
    await until(
      () => smtp.messages.length,
      // More than are sent at once, so that some runs have ended.
      (count) => count >= 20,
      'some mails',
      2,
    );
    expect(serves, 'the second waits').to.equal(false);
    await first.kill();
    await enqueued;
    const killed = performance.now();
    at = { ...(await taken), key: at.key };
    console.log(`      the second serves ${((performance.now() - killed) / 1000).toFixed(1)} s after the kill`);

    expect((await send('before')).run_id, 'the key answers as before').to.equal(told.run_id);
    expect(arrived('before')).to.equal(1);
    const counts: Record<string, number> = {};
    for (const [id, token] of accepted) {
      const run = await until(
        () => call<Run>('GET', `/runs/${id}?wait=20`),
        ({ status }) => status !== 'queued' && status !== 'running',
        `the end of ${id}`,
      );
      const allowed = run.status === 'completed' ? [1] : run.status === 'indeterminate' ? [0, 1] : [0];
      expect(allowed, `${run.status} ${token}`).to.include(arrived(token));
      const receipt = await call<{ signature_valid: boolean }>('GET', `/receipts/${run.receipt_id ?? ''}`);
      expect(receipt.signature_valid).to.equal(true);
      counts[run.status] = (counts[run.status] ?? 0) + 1;
    }
    console.log(`      ${JSON.stringify(counts)}, ${smtp.messages.length} mails`);
    expect(counts['completed'] ?? 0).to.be.greaterThan(0);
    const { status, stdout, stderr } = second.orb('log', 'fsck');
    expect(status, stdout + stderr).to.equal(0);
  });

  it('lets a server that waits be stopped, and serve at once when the other leaves', async () => {
    const waiting = first.start().catch((error: unknown) => String(error));
    await delay(3000);
    expect(await first.stop()).to.equal(0);
    expect(await waiting).to.include('ended with 0');
    expect(await second.stop()).to.equal(0);
    const started = performance.now();
    at = { ...(await first.start()), key: at.key };
    console.log(`      the first serves again after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    expect((await send('again')).status).to.equal('completed');
  });

  it('refuse what one sends that was paused while the other took over: it ends with 75', async () => {
    const taken = second.start();
    await delay(2000);
    first.signal('SIGSTOP');
    const paused = at;
    at = { ...(await taken), key: at.key };
    expect((await send('over')).status).to.equal('completed');
    first.signal('SIGCONT');
    await first.exited();
    expect(await first.stop(), 'EX_TEMPFAIL').to.equal(75);
    await fetch(paused.url).then(
      () => expect.fail('it still listens'),
      () => undefined,
    );
    expect((await send('after')).status).to.equal('completed');
    expect(second.orb('log', 'fsck').status).to.equal(0);
  });
});
