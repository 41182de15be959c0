import { expect } from 'chai';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import { runCommands } from '../../../../plugins/runtime/run/run-commands.ts';
import { runCommand } from '../../../helpers/command.ts';
import { until } from '../../../helpers/until.ts';
import type { Answer } from '../../../helpers/platform.ts';
import {
  authToken,
  publicUrl,
  startReports,
  startWithoutReports,
  twilioRequest,
  type ReportsBed,
  type Sent,
} from './bed.ts';

describe('without the plugin that takes delivery reports', () => {
  it('runs get no address, and are read and resolved as before', async () => {
    const sent: Sent[] = [];
    const platform = await startWithoutReports(sent);
    try {
      const asked = { orb_id: 'test.record@1.0.0', inputs: { token: 'lost' } };
      const { body } = await platform.call('POST', '/orbisets/default/execute', asked);
      expect(sent[0]?.report_url).to.equal(undefined);
      expect((await platform.call('GET', `/runs/${body.run_id}`)).body).to.include({ status: 'indeterminate' });
      const resolved = await platform.call('POST', `/runs/${body.run_id}/resolve`, { outcome: 'sent' });
      expect(resolved.body).to.include({ status: 'completed' });
    } finally {
      await platform.stop();
    }
  });
});

describe('a delivery report', function () {
  this.timeout(120_000);
  let bed: ReportsBed;
  const lines: string[] = [];
  before(async () => {
    bed = await startReports({ onLog: (line) => lines.push(line) });
  });
  after(() => bed.stop());

  const stored = async (answer: Answer) => (await bed.settled(answer.body.delivery_id)).delivery;

  it('has no address while the provider has no source of reports', async () => {
    await bed.run('taken');
    expect(bed.sent.at(-1)).to.include({ provider: 'one', report_url: undefined });
  });

  describe('at the address of its call', () => {
    let token: string;
    before(async () => {
      token = (await bed.twilio()).path.slice('/hooks/'.length);
    });

    async function lost(): Promise<{ run_id: string; address: string; key: string }> {
      const { status, body } = await bed.run('lost');
      expect([status, body.code]).to.deep.equal([504, 'outcome_unknown']);
      const { key, report_url: address = '' } = bed.sent.at(-1) ?? expect.fail();
      return { run_id: body.run_id, address, key };
    }

    it('settles the run, attested by a receipt that commits to the delivery; the ledger counts the outcome', async () => {
      const { run_id, address, key } = await lost();
      expect(address)
        .to.match(new RegExp(`^${publicUrl}/hooks/[0-9a-f]{64}\\?key=${key}$`))
        .and.not.include(token);
      const answer = await bed.report(address, 'sent');
      expect(answer.status).to.equal(202);
      const run = await bed.became(run_id, 'completed');
      expect(run.delivery).to.deep.include({ state: 'sent', evidence: [answer.body.delivery_id] });
      const { statement, signature_valid } = await bed.get(`/receipts/${run.resolution}`);
      expect(signature_valid).to.equal(true);
      const { facts, score_fact } = statement.predicate;
      expect(facts)
        .to.include({ outcome: 'sent', status: 'completed', by: 'lookup' })
        .and.not.have.property('principal');
      expect(facts.note).to.have.all.keys('commitment', 'size');
      expect(score_fact).to.include({ supersedes: 'orb_fault', outcome_class: 'ok' });
    });

    it('that comes again, later, or at the wrong time, leaves the run and moves the state only up', async () => {
      const { run_id, address } = await lost();
      await bed.report(address, 'delivered');
      const { resolution } = await bed.became(run_id, 'completed');
      for (const status of ['sent', 'delivered', 'queued']) await stored(await bed.report(address, status));
      const run = await bed.get(`/runs/${run_id}`);
      expect(run).to.include({ status: 'completed', resolution });
      expect(run.delivery).to.include({ state: 'delivered' }).and.not.have.property('conflict');
      expect(run.delivery.evidence).to.have.length(3);
    });

    it('of a failure completes the run too: the vendor took the message', async () => {
      const { run_id, address } = await lost();
      await bed.report(address, 'undelivered', { ErrorCode: '30003' });
      expect((await bed.became(run_id, 'completed')).delivery.state).to.equal('undelivered');
    });

    it('is shown with a run that completed, which stays completed whatever it says', async () => {
      const { body } = await bed.run('taken');
      const { report_url } = bed.sent.at(-1) ?? expect.fail();
      const first = await bed.report(report_url, 'undelivered');
      await stored(first);
      const run = await bed.get(`/runs/${body.run_id}`);
      expect(run).to.include({ status: 'completed' }).and.not.have.property('resolution');
      expect(run.delivery).to.deep.include({ state: 'undelivered', evidence: [first.body.delivery_id] });
    });

    it('that contradicts an earlier end is noted, and the earlier counts', async () => {
      const { run_id, address } = await lost();
      await stored(await bed.report(address, 'delivered'));
      await stored(await bed.report(address, 'undelivered'));
      const run = await until(
        () => bed.get(`/runs/${run_id}`),
        ({ delivery }) => delivery?.conflict === true,
      );
      expect(run.delivery.state).to.equal('delivered');
      await until(
        () => lines.some((line) => line.includes('delivery_conflict')),
        (noted) => noted,
      );
    });

    it('is shown by `orb runs show`, with the deliveries that say it', async () => {
      const { run_id, address } = await lost();
      const first = await bed.report(address, 'delivered');
      await bed.became(run_id, 'completed');
      await stored(await bed.report(address, 'failed'));
      const client = () =>
        createClient({ ORB_URL: bed.platform.url, ORB_KEY: bed.platform.adminKey }, bed.platform.stateDir);
      const command = runCommands.find(({ path }) => path === 'runs show') ?? expect.fail();
      const { text } = await runCommand(command, bed.platform.stateDir, [run_id], { client, options: {} });
      expect(text)
        .to.match(/^delivery +delivered, \S+Z, reports contradict each other$/m)
        .and.match(new RegExp(`^evidence +${first.body.delivery_id}$`, 'm'));
    });

    it('that is not signed, or signed for another address, is refused and settles nothing', async () => {
      const { run_id, address } = await lost();
      const other = address.replace(/key=./, 'key=1');
      const fields = { MessageSid: 'SM1', MessageStatus: 'delivered' };
      const answers = [
        await bed.report(address, 'delivered', {}, 'another-auth-token'),
        await bed.at(address, {
          ...twilioRequest(address, fields, authToken),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        await bed.at(address, twilioRequest(other, fields, authToken)),
        await bed.at(address, {
          ...twilioRequest(address, fields, authToken),
          body: 'MessageSid=SM1&MessageStatus=sent',
        }),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401]);
      const run = await bed.get(`/runs/${run_id}`);
      expect(run).to.include({ status: 'indeterminate' }).and.not.have.property('delivery');
    });

    it('under a key that was never issued, or one of another provider, is kept and changes nothing', async () => {
      const { run_id, address, key } = await lost();
      const made = await bed.twilio('two');
      const foreign = `${publicUrl}${made.path}?key=${key}`;
      for (const to of [address.replace(key, 'a'.repeat(52)), foreign]) {
        const delivery = await stored(await bed.report(to, 'delivered'));
        expect(delivery).to.include({ state: 'done', signals: 1 });
      }
      expect((await bed.get(`/runs/${run_id}`)).status).to.equal('indeterminate');
    });

    it('that comes while the call is under way settles the run when it ends', async () => {
      const { key } = bed.sent.at(-1) ?? expect.fail();
      expect(key).to.match(/^[a-z2-7]{52}$/);
      bed.beforeLoss = async ({ report_url }) => void (await stored(await bed.report(report_url, 'sent')));
      const { run_id } = await lost();
      bed.beforeLoss = undefined;
      await bed.became(run_id, 'completed');
    });

    it('leaves no token of an address in the log', () => {
      const report = new URL(bed.sent.at(-1)?.report_url ?? '').pathname.slice('/hooks/'.length);
      expect(lines.join('\n')).to.not.include(token).and.not.include(report).and.not.include(authToken);
    });
  });
});
