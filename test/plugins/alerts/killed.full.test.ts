import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import { parseMail } from '../../providers/email/mail.ts';
import { alertOn, mailer } from './started.ts';

interface Answered {
  readonly name?: string;
  readonly runs?: readonly { readonly status: string; readonly receipt_id?: string }[];
}

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);
// From the event to the look, from there to the message, its run, and its answer.
const mostMs = 4000;

describe('kill -9 between an event, its message, its run and the answer', function () {
  this.timeout(60_000 + rounds * 30_000);
  let smtp: SmtpReceiver;
  let served: Served;
  let seen: () => void = () => undefined;
  before(async () => {
    smtp = await startSmtp({ onMessage: () => seen() });
    served = createServed({
      providers: { mail: mailer(smtp.port), echo: { adapter: 'echo/local' } },
      bindings: { 'notify.email@1.0.0': ['mail'] },
      plugins: { alerts: { config: { alerts: [alertOn('key_expiring')] } } },
    });
  });
  after(async () => {
    await served?.remove();
    await smtp?.close();
  });

  const call = async (
    at: { readonly url: string; readonly key: string },
    method: string,
    path: string,
    body?: object,
  ) => {
    const headers = { authorization: `Bearer ${at.key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(at.url + path, { method, headers, ...sent })).json() as Promise<Answered>;
  };
  const told = (name: string): number =>
    smtp.messages.filter(({ raw }) => parseMail(raw).text.includes(`The API key ${name} (`)).length;

  it(`each event is told once, or its run says that it may have been (${rounds} times)`, async () => {
    const names: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const at = await served.start();
      const name = `key-${round}-of-${rounds}`;
      const expires_at = new Date(Date.now() + 5 * 86_400_000).toISOString();
      expect((await call(at, 'POST', '/keys', { name, scopes: ['orbs:read'], expires_at })).name).to.equal(name);
      names.push(name);
      // Each other round while its message is sent: the server has not read the answer yet.
      const read = new Promise<void>((resolve) => (seen = resolve));
      await (round % 2 === 0 ? delay(((round + 0.5) / rounds) * mostMs) : read);
      await served.kill();
    }
    const at = await served.start();
    const runs = async () => (await call(at, 'GET', '/runs?orb_id=notify.email@1.0.0&limit=100')).runs ?? [];
    const unknown = async (): Promise<number> =>
      (await runs()).filter(({ status }) => status === 'indeterminate').length;
    await until(
      async () => names.filter((name) => told(name) === 0).length <= (await unknown()),
      (isTold) => isTold,
      'the messages',
    );
    // Nothing follows.
    await delay(mostMs);
    for (const name of names) expect(told(name), name).to.be.at.most(1);
    const ended = await runs();
    expect(ended.every(({ receipt_id }) => receipt_id !== undefined)).to.equal(true);
    console.log(`      ${smtp.messages.length} messages, ${ended.length} runs, ${await unknown()} of unknown outcome`);
    expect(await served.stop()).to.equal(0);
  });
});
