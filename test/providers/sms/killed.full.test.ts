import { expect } from 'chai';
import twilioClient from 'twilio';
import { send } from '../../helpers/http.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { twilioBed } from './vendors/twilio.ts';

// 12 in `npm run soak`.
const rounds = Number(process.env['SMS_KILLS'] ?? 2);
const orb_id = 'notify.sms@1.0.0';
const publicUrl = 'https://orb.example.com';
const authToken = 'an-auth-token';

interface Listed {
  readonly run_id: string;
  readonly status: string;
  readonly delivery?: { readonly state: string; readonly evidence: readonly string[] };
}

interface Page {
  readonly runs: readonly Listed[];
  readonly next_cursor?: string;
}

interface Kept {
  readonly delivery: { readonly state: string };
}

describe('text messages of a server that is killed', function () {
  this.timeout(60_000 + rounds * 20_000);
  let served: Served;
  let vendor: VendorServer;
  before(async () => {
    vendor = await startVendor(twilioBed.contract);
    const config = { ...twilioBed.config(vendor.url), key_secret: { $env: 'SECRET' } };
    const env = { ORB_PUBLIC_URL: publicUrl, SECRET: twilioBed.secrets[0] ?? '' };
    served = createServed({ providers: { twilio: { adapter: 'sms/twilio', config } } }, { env });
  });
  after(async () => {
    await served.remove();
    await vendor.close();
  });

  it(`are sent at most once, and settled by their reports after the start (${rounds} times killed)`, async () => {
    let { url, key } = await served.start();
    const post = async (path: string, body: object) =>
      (await send(url, path, { method: 'POST', key, json: body })).json;
    const ask = async <T>(path: string): Promise<T> => (await send(url, path, { key })).json as unknown as T;
    const source = { name: 'reports', vendor: 'twilio', secret: authToken, may_name: { providers: ['twilio'] } };
    const made = await post('/sources', source);
    expect(made, JSON.stringify(made)).to.have.property('source');
    // Those of the health checks have no recipient.
    const messages = () => vendor.posts.map((post) => twilioBed.posted(post)).filter(({ to }) => to !== '');
    const runs = async (): Promise<readonly Listed[]> => {
      const found: Listed[] = [];
      for (let next: string | undefined = ''; next !== undefined;) {
        const page: Page = await ask<Page>(`/runs?limit=100${next && `&cursor=${next}`}`);
        found.push(...page.runs);
        next = page.next_cursor;
      }
      return found;
    };
    const expected = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      // The vendor takes what it gets and never answers.
      vendor.fault = 'hang';
      const before = messages().length;
      const earlier = (await runs()).length;
      const calls = [0, 1, 2].map((at) => {
        const inputs = { to: '+4915123456789', text: `text ${round} ${at}` };
        return post('/orbisets/default/execute', { orb_id, inputs }).catch(() => undefined);
      });
      await until(
        () => messages().length - before,
        (count) => count > round % 3,
        'the calls',
        1,
      );
      await served.kill();
      await Promise.all(calls);
      vendor.drop();
      vendor.fault = undefined;
      ({ url, key } = await served.start());
      // A report on a run that is not yet recovered settles it a minute later.
      const sent = messages().slice(before);
      await until(runs, (found) => found.length - earlier >= sent.length, 'the runs', 20);
      for (const { report_url = '' } of sent) {
        const id = await report(url, report_url);
        expected.add(id);
        await until(
          () => ask<Kept>(`/deliveries/${id}`),
          ({ delivery }) => delivery.state !== 'queued',
          id,
          20,
        );
      }
    }
    const texts = messages().map(({ text }) => text);
    expect(new Set(texts).size, 'messages for each text').to.equal(texts.length);
    expect(texts.length).to.be.at.least(rounds);

    const shown = async (): Promise<readonly Listed[]> =>
      Promise.all((await runs()).map(({ run_id }) => ask<Listed>(`/runs/${run_id}`)));
    const evidence = (found: readonly Listed[]): readonly string[] =>
      found.flatMap(({ delivery }) => delivery?.evidence ?? []).sort();
    const found = await until(
      shown,
      (all) => evidence(all).length >= expected.size && !all.some(isLate),
      'reports',
      50,
    );
    expect(evidence(found)).to.deep.equal([...expected].sort());
    // A run that the vendor never got stays undecided: no report speaks of it.
    for (const { run_id, delivery, status } of found)
      expect(status, run_id).to.equal(delivery === undefined ? 'indeterminate' : 'completed');
  });

  async function report(url: string, address: string): Promise<string> {
    const fields = { MessageSid: 'SM1', MessageStatus: 'delivered' };
    const signature = twilioClient.getExpectedTwilioSignature(authToken, address, fields);
    const answer = await fetch(url + address.slice(publicUrl.length), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
      body: new URLSearchParams(fields).toString(),
    });
    expect(answer.status).to.equal(202);
    return ((await answer.json()) as { readonly delivery_id: string }).delivery_id;
  }
});

// A report is there, and its run not yet settled.
function isLate({ delivery, status }: Listed): boolean {
  return delivery !== undefined && status === 'indeterminate';
}
