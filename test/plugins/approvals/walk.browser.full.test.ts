import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { Client } from '../../../kernel/index.ts';
import { getCommand } from '../../../plugins/receipts/commands/get.ts';
import { verifyCommand } from '../../../plugins/receipts/commands/verify.ts';
import { browserOrSkip } from '../../helpers/browser.ts';
import { runCommand } from '../../helpers/command.ts';
import { packageDir } from '../../helpers/folder.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import { parseMail } from '../../providers/email/mail.ts';
import { mcpClient } from '../mcp/client.ts';
import { compilerOrSkip } from '../policy/compiler.ts';
import { startPolicyHome, type PolicyHome } from '../policy/home.ts';

const approver = 'ada@example.com';
const customer = 'customer@example.net';
const inputs = { to: customer, from_address: 'orb@example.com', subject: 'Your offer', body: 'As we said.' };
const scopes = ['orbs:execute', 'runs:read', 'runs:approve'];

describe('an agent, a policy that asks, and a person who approves by mail', function () {
  let browser: Browser;
  let smtp: SmtpReceiver;
  let home: PolicyHome;
  let agent: string;
  let isStopped = false;

  before(async function () {
    compilerOrSkip(this);
    browser = await browserOrSkip(this);
    this.timeout(120_000);
    smtp = await startSmtp();
    const mail = { adapter: 'email/smtp', config: { host: '127.0.0.1', port: smtp.port, starttls: 'never' } };
    const platform = { providers: { mail } };
    const first = await startPolicyHome({}, { platform });
    agent = await first.platform.key({ name: 'agent', scopes });
    const member = (await first.platform.call('POST', '/keys', { name: 'ada', scopes })).body.principal as string;
    await first.platform.stop({ keep: true });
    const words = { to: approver, from_address: 'orb@example.com', subject: '{subject}', body: '{text}' };
    const notify = [{ orb: 'notify.email@1.0.0', member, inputs: words }];
    const groups = { office: { members: [member], links: true, notify } };
    home = await startPolicyHome(
      {},
      {
        home: first.platform.home,
        platform: { ...platform, plugins: { approvals: { config: { groups } } } },
        // A port that is known beforehand: the link in the mail is opened as it is.
        env: { ORB_LISTEN: new URL(first.platform.url).host },
      },
    );
  });
  after(async () => {
    await browser?.close();
    if (!isStopped) await home?.platform.stop();
    await smtp?.close();
  });

  const mailsTo = (address: string) =>
    smtp.messages.filter(({ to }) => to.includes(address)).map(({ raw }) => parseMail(raw));
  const tool = async (name: string, values: object) => {
    const { body } = await mcpClient(home.platform).ask('tools/call', { name, arguments: values }, { key: agent });
    return body.result;
  };

  it('ends with one mail, and a receipt that says offline who approved it', async function () {
    this.timeout(180_000);
    for (const name of ['outside_mail.rego', 'outside_mail_test.rego'])
      home.write(name, readFileSync(join(packageDir, 'plugins/approvals/policies', name), 'utf8'));
    const active = await home.until('the policy', ({ policies, rejected }) => policies === 4 || rejected !== null);
    expect(active.rejected).to.equal(null);

    const asked = await tool('notify_email', inputs);
    expect(asked.content[0].text).to.contain('A member of office must approve it first');
    const { run_id, approval } = asked._meta['agent-orb/run'];
    const [notice] = await until(
      () => mailsTo(approver),
      (mails) => mails.length > 0,
      'the mail to the approver',
    );
    expect(notice?.headers['subject']).to.equal('Approval needed: notify.email@1.0.0 (office)');
    const link = /^https?:\S+/m.exec(notice?.text ?? '')?.[0] ?? '';
    expect(link).to.match(new RegExp(`^${home.platform.url}/approvals/links/[\\w-]{43}$`));
    expect(mailsTo(customer)).to.deep.equal([]);

    const page = await browser.newPage();
    await page.goto(link);
    await page.getByText('the mail goes to example.net').waitFor();
    const shown = await page.getByRole('region', { name: 'Inputs' }).textContent();
    expect(JSON.parse(shown ?? '')).to.deep.equal(inputs);
    await page.getByLabel('Comment for the requester').fill('a known customer');
    await page.getByRole('button', { name: 'Approve this run' }).click();
    await page.getByRole('heading', { name: 'The run is approved' }).waitFor();

    const done = await until(
      () => tool('orb_run_status', { run_id }),
      ({ structuredContent }) => structuredContent.status === 'completed',
      'the end of the run',
    );
    expect(done.structuredContent.run_id).to.equal(run_id);
    expect(mailsTo(customer).map(({ headers, text }) => [headers['subject'], text.trim()])).to.deep.equal([
      [inputs.subject, inputs.body],
    ]);
    expect(mailsTo(approver)).to.have.length(1);
    // The link decides once.
    await page.goto(link);
    await page.getByText('The link was used; it decides once').waitFor();

    const { call } = home.platform;
    const dir = mkdtempSync(join(tmpdir(), 'orb-walk-'));
    writeFileSync(
      join(dir, 'jwks.json'),
      JSON.stringify((await call('GET', '/.well-known/jwks.json', undefined, null)).body),
    );
    const { receipt_id } = (await call('GET', `/runs/${run_id}`)).body;
    const request = async (method: string, path: string) => (await call(method, path)).body as never;
    const client = () => ({ request }) as unknown as Client;
    const { text } = await runCommand(getCommand, dir, [receipt_id], { client });
    await home.platform.stop();
    isStopped = true;
    const saved = JSON.parse(text);
    expect(saved.statement.predicate.facts.approval.approval_id).to.equal(approval.id);
    expect(saved.statement.predicate.facts.channel).to.include({ kind: 'mcp' });
    expect(saved.decisions[0].statement.predicate.facts).to.include({ auth: 'link', surface: 'page' });
    writeFileSync(join(dir, 'receipt.json'), text);
    const verdict = await runCommand(verifyCommand, dir, [join(dir, 'receipt.json')]);
    expect(verdict.exit, verdict.text).to.equal(0);
    expect(verdict.text).to.match(/^approval_matches +pass: approved by prn_\w+ \(office\) for exactly these inputs$/m);
    expect(verdict.text.split('\n').at(-1)).to.equal('VERIFIED');
    rmSync(dir, { recursive: true });
  });
});
