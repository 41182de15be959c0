import { expect } from 'chai';
import { canonical, digest } from '../../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../../../helpers/smtp.ts';
import { until } from '../../../helpers/until.ts';
import { startRelay, type RelayKind } from './relay.ts';
import { rawLine, type RawAnswer, type RawLine } from '../raw-line.ts';
import { inStore } from '../../../helpers/stored.ts';

// Every byte in `npm run soak`.
const step = process.env['REPEAT_SOAK'] === '1' ? 1 : 40;

describe('a mail whose call is repeated blindly', function () {
  this.timeout(600_000);
  let smtp: SmtpReceiver;
  let platform: TestPlatform;
  before(async () => {
    smtp = await startSmtp();
    const config = { host: '127.0.0.1', port: smtp.port, starttls: 'never', name: 'repeat.test' };
    platform = await startPlatform({
      platform: { providers: { smtp: { adapter: 'email/smtp', config } } },
      data: { 'orbisets/open.json': { id: 'open', tenant: 'default', orbs: ['*'], repeat_guard: false } },
    });
  });
  after(async () => {
    await platform.stop();
    await smtp.close();
  });

  const mail = (subject: string): object => ({
    name: 'notify_email',
    arguments: { to: 'a@example.com', from_address: 'orb@example.com', subject, body: 'hello' },
  });
  const sent = (subject: string): number =>
    smtp.messages.filter(({ raw }) => raw.includes(`Subject: ${subject}\r\n`)).length;
  const line = (headers = {}): RawLine => rawLine(platform.url, platform.adminKey, headers);
  const once = async (subject: string, from: RawLine): Promise<RawAnswer> => {
    const answer = await from.call(mail(subject));
    expect(answer.result.isError, JSON.stringify(answer.result)).to.equal(undefined);
    return answer;
  };
  /** The implicit keys in the store. */
  const keys = async (): Promise<readonly { readonly key: string; readonly fingerprint: string }[]> => {
    const rows = await inStore(platform.home, "SELECT key, fingerprint FROM journal_keys WHERE method = 'repeat'");
    return rows as Awaited<ReturnType<typeof keys>>;
  };
  const isReplayed = ({ result }: RawAnswer): unknown => result._meta['agent-orb/replayed'];

  it(`goes out once, wherever the answer was cut (every ${step} bytes), and again after a whole answer`, async () => {
    const whole = line();
    const { bytes } = await once('probe', whole);
    whole.close();
    expect(bytes).to.be.greaterThan(500);
    // An answer may be some digits shorter than the first one.
    for (let at = 0; at < bytes - 8; at += step) {
      const subject = `cut-${at}`;
      await line()
        .cut(mail(subject), at)
        .catch((error: unknown) => expect.fail(`${subject}: ${String(error)}`));
      const again = line();
      const repeated = await once(subject, again);
      expect(sent(subject), subject).to.equal(1);
      // Before its first byte the call may not have arrived, or was given up before the mail.
      if (at === 0) continue;
      expect(isReplayed(repeated), subject).to.equal(true);
      expect(repeated.result.content[1]?.text).to.match(
        /^Answer to your identical call of \d{4}-.*; nothing was done now\. Done once\./,
      );
      // The next request on the same connection proves that the answer came.
      const next = await once(subject, again);
      expect([sent(subject), isReplayed(next)], subject).to.deep.equal([2, false]);
      again.close();
    }
  });

  const relays: readonly { readonly kind: RelayKind; readonly proves: boolean }[] = [
    { kind: 'tunnel', proves: true },
    // Its connection serves many clients: the next request on it may be of another one.
    { kind: 'proxy', proves: false },
  ];
  for (const { kind, proves } of relays)
    it(`goes out once behind a ${kind} that has the answer whole (every ${step} bytes of it lost)`, async () => {
      const relay = await startRelay(kind, platform.url);
      const relayed = (): RawLine => rawLine(relay.url, platform.adminKey);
      const whole = relayed();
      const { bytes } = await once(`${kind}-probe`, whole);
      whole.close();
      for (let at = 0; at < bytes - 8; at += step) {
        const subject = `${kind}-${at}`;
        relay.cutNext(at);
        const lost = await relayed()
          .call(mail(subject))
          .catch((error: unknown) => String(error));
        expect(lost).to.equal(`Error: the connection closed after ${at} bytes`);
        const again = relayed();
        expect([isReplayed(await once(subject, again)), sent(subject)], subject).to.deep.equal([true, 1]);
        expect([isReplayed(await once(subject, again)), sent(subject)], subject).to.deep.equal(
          proves ? [false, 2] : [true, 1],
        );
        again.close();
      }
      relay.close();
    });

  it('waits for the first call while that is under way, and gets its answer', async () => {
    const [one, other] = [line(), line()];
    const [first, second] = await Promise.all([once('both', one), once('both', other)]);
    expect(sent('both')).to.equal(1);
    expect(first.result.structuredContent?.run_id).to.equal(second.result.structuredContent?.run_id);
    expect([isReplayed(first), isReplayed(second)].sort()).to.deep.equal([false, true]);
    one.close();
    other.close();
  });

  it('is repeated on another connection at once, and is a new mail a while after its answer arrived', async () => {
    const one = line();
    await once('later', one);
    // Opened after the answer, as a client does that lost its connection.
    const other = line();
    expect(isReplayed(await once('later', other))).to.equal(true);
    expect(sent('later')).to.equal(1);
    one.close();
    other.close();
    await until(keys, (rows) => rows.length === 0, 'a free key');
    const fresh = line();
    expect(isReplayed(await once('later', fresh))).to.equal(false);
    expect(sent('later')).to.equal(2);
    fresh.close();
  });

  it('leaves no plain hash of its arguments in the store', async () => {
    const own = line();
    await once('hashed', own);
    const hashed = mail('hashed') as { arguments: object };
    const [row] = (await keys()).slice(-1);
    expect(row?.key).to.match(/^[0-9a-f]{64}$/);
    for (const value of [hashed.arguments, null, ['hashed']])
      for (const text of [row?.key, row?.fingerprint]) expect(digest(canonical(value))).not.to.contain(text);
    own.close();
  });

  it('takes no other request on the connection of a proxy for a proof', async () => {
    const proxied = line({ 'X-Forwarded-For': '203.0.113.9' });
    await once('proxied', proxied);
    expect(isReplayed(await once('proxied', proxied))).to.equal(true);
    expect(sent('proxied')).to.equal(1);
    proxied.close();
  });

  it('is another call with other arguments, and another one of another caller', async () => {
    const own = line();
    await once('mine', own);
    const key = await platform.key({ name: 'another', scopes: ['orbs:execute'] });
    const others = rawLine(platform.url, key);
    expect(isReplayed(await once('mine', others))).to.equal(false);
    expect(sent('mine')).to.equal(2);
    own.close();
    others.close();
  });

  it('stays known when the server was started again', async () => {
    await line().cut(mail('restarted'), 1);
    await until(
      () => sent('restarted'),
      (count) => count === 1,
    );
    const { home } = platform;
    await platform.stop({ keep: true });
    platform = await startPlatform({ home });
    const again = line();
    expect(isReplayed(await once('restarted', again))).to.equal(true);
    expect(sent('restarted')).to.equal(1);
    again.close();
  });
});
