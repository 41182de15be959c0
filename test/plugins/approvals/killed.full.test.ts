import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import {
  askForMail,
  askingPlatform,
  decideMail,
  makeStaff,
  reach,
  writeAsker,
  writeOffice,
  type HeldMail,
  type Staff,
} from './office.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 3);

/** After what the server is killed, in turn: an ask, a decision, or a mail that was read whole and not answered yet. */
const moments = ['ask', 'decision', 'dispatch'] as const;

describe('kill -9 between an ask, its decision, the dispatch and the answer', () => {
  let smtp: SmtpReceiver;
  let served: Served;
  let staff: Staff;
  const mails: HeldMail[] = [];
  let next = 0;
  /** Called at each moment, and told which one it is. */
  let seen: (moment: (typeof moments)[number]) => void = () => undefined;

  before(async function () {
    this.timeout(60_000);
    smtp = await startSmtp({ onMessage: () => seen('dispatch') });
    served = createServed({
      ...askingPlatform,
      providers: { mail: { adapter: 'email/smtp', config: { host: '127.0.0.1', port: smtp.port, starttls: 'never' } } },
      bindings: { 'notify.email@1.0.0': ['mail'] },
    });
    writeAsker(served.home);
    const { url, key } = await served.start();
    staff = await makeStaff(url, key);
    await served.stop();
    writeOffice(served.home, staff);
  });
  after(async () => {
    await served.remove();
    await smtp.close();
  });

  const arrivals = (token: string): number =>
    smtp.messages.filter(({ raw }) => raw.includes(`Subject: ${token}\r\n`)).length;

  // Every fifth mail is left undecided, and every fourth of the others refused.
  const decisionOn = (at: number): 'approve' | 'refuse' | undefined =>
    at % 5 === 4 ? undefined : at % 4 === 3 ? 'refuse' : 'approve';

  /** Four callers ask and decide one after the other until the server is killed. */
  async function untilKilled(url: string, round: number): Promise<void> {
    const moment = moments[round % moments.length] ?? 'ask';
    let left = 2 + (round % 7);
    let killed: Promise<void> | undefined;
    seen = (now) => {
      if (now === moment && --left === 0) killed ??= served.kill();
    };
    const caller = async (): Promise<void> => {
      while (killed === undefined) {
        const at = next++;
        const mail = await askForMail(url, staff, `m${at}`);
        if (mail === undefined) continue;
        mails.push(mail);
        seen('ask');
        const decision = decisionOn(at);
        if (decision === undefined) continue;
        const { status } = await decideMail(url, staff.members[at % 2] ?? '', { mail, decision });
        if (status === 200) seen('decision');
      }
    };
    await Promise.all(Array.from({ length: 4 }, caller));
    await killed;
  }

  it(`at most one mail, none without a valid approval, none lost that was answered as approved (${rounds} times)`, async function () {
    this.timeout(60_000 + rounds * 15_000);
    for (let round = 0; round < rounds; round++) await untilKilled((await served.start()).url, round);
    seen = () => undefined;
    const { url, key } = await served.start();
    // One that no kill cuts off.
    const whole = (await askForMail(url, staff, 'whole')) ?? expect.fail('no mail could be asked for');
    mails.push(whole);
    await decideMail(url, staff.members[0] ?? '', { mail: whole, decision: 'approve' });
    const counts: Record<string, number> = {};
    for (const mail of mails) {
      const { token, run_id, approval_id, sent, taken } = mail;
      const { body: approval } = await reach(url, `/approvals/${approval_id}`, key);
      const decided = approval['state'];
      const { body: run } = await until(
        () => reach(url, `/runs/${run_id}`, key),
        ({ body }) => decided === 'open' || !['queued', 'running', 'held'].includes(String(body['status'])),
        `the end of ${token}`,
      );
      const status = String(run['status']);
      const what = `${token}: ${status}, ${String(decided)}, sent ${sent}, taken ${taken}`;
      const allowed = { completed: [1], indeterminate: [0, 1] }[status] ?? [0];
      expect(allowed, what).to.include(arrivals(token));
      if (status === 'completed' || status === 'indeterminate') expect(decided, what).to.equal('approved');
      if (decided === 'open') expect([status, taken], what).to.deep.equal(['held', undefined]);
      else expect(decided, what).to.equal(sent === 'approve' ? 'approved' : 'refused');
      if (taken === true && sent === 'approve') expect(['completed', 'indeterminate'], what).to.include(status);
      if (decided === 'refused') expect([status, run['reason']], what).to.deep.equal(['denied', 'approval_refused']);
      if (status === 'completed') await expectNamed(url, key, { receipt_id: String(run['receipt_id']), approval_id });
      counts[status] = (counts[status] ?? 0) + 1;
    }
    const asked = new Set(mails.map(({ token }) => token));
    for (const { raw } of smtp.messages)
      expect(asked, 'a mail that nobody was told of').to.include(/^Subject: (.*)\r$/m.exec(raw.toString())?.[1]);
    expect(counts['completed'] ?? 0, JSON.stringify(counts)).to.be.greaterThan(0);
    console.log(`      ${JSON.stringify(counts)}, ${smtp.messages.length} mails`);
    expect(await served.stop()).to.equal(0);
  });

  /** Expects that the receipt of a run names its approval, and each of the receipts that it names is valid. */
  async function expectNamed(
    url: string,
    key: string,
    { receipt_id, approval_id }: { readonly receipt_id: string; readonly approval_id: string },
  ): Promise<void> {
    const receipt = async (id: string) => {
      const { body } = await reach(url, `/receipts/${id}`, key);
      expect(body['signature_valid'], id).to.equal(true);
      return (body as { statement: { predicate: { facts: Record<string, unknown> } } }).statement.predicate.facts;
    };
    const named = (await receipt(receipt_id))['approval'] as { approval_id: string; decisions: readonly string[] };
    expect(named.approval_id).to.equal(approval_id);
    expect(named.decisions).to.have.length(1);
    for (const id of named.decisions) expect(await receipt(id)).to.include({ decision: 'approve', state: 'approved' });
  }
});
