import { expect } from 'chai';
import { send } from '../../../helpers/http.ts';
import { createServed, type Served } from '../../../helpers/served.ts';
import { until } from '../../../helpers/until.ts';
import { startVendor, type VendorServer } from '../../../helpers/vendor.ts';
import { postmarkBed } from '../../../providers/email/vendors/postmark.ts';

const rounds = Number(process.env['REPORTS_KILLS'] ?? 2);
const orb_id = 'notify.email@1.0.0';
const mail = { to: 'ada@example.org', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

interface Sent {
  readonly Metadata: { readonly orb_key: string };
}

describe('a server that is killed while a vendor answers', function () {
  this.timeout(60_000 + rounds * 30_000);
  let served: Served;
  let vendor: VendorServer;
  let at: { readonly url: string; readonly key: string };
  before(async () => {
    vendor = await startVendor(postmarkBed.contract);
    const config = { ...postmarkBed.config(vendor.url), server_token: { $env: 'POSTMARK_TOKEN' } };
    const env = { POSTMARK_TOKEN: postmarkBed.secrets[0] ?? '' };
    const providers = { pm: { adapter: 'email/postmark', config } };
    served = createServed({ providers, bindings: { [orb_id]: ['pm'] } }, { env });
    at = await served.start();
  });
  after(async () => {
    await served?.remove();
    await vendor?.close();
  });

  it(`sends no second message, and the report settles the run (${rounds} times)`, async () => {
    const source = { name: 'pm', vendor: 'postmark', may_name: { providers: ['pm'] } };
    const made = await send(at.url, '/sources', { key: at.key, json: source });
    const authorization = `Basic ${btoa(`orb:${String(made.json['secret'])}`)}`;
    for (let round = 0; round < rounds; round++) {
      vendor.fault = 'hang';
      const before = vendor.posts.length;
      const reached = vendor.reached();
      const call = send(at.url, '/orbisets/default/execute', { key: at.key, json: { orb_id, inputs: mail } });
      call.catch(() => undefined);
      await reached;
      await served.kill();
      vendor.fault = undefined;
      at = await served.start();
      const { runs } = (await send(at.url, '/runs?status=indeterminate', { key: at.key })).json as {
        runs: readonly { run_id: string; reason: string }[];
      };
      expect(runs).to.have.length(1);
      expect(runs[0]).to.include({ reason: 'interrupted' });
      expect(vendor.posts.length).to.equal(before + 1);
      const { Metadata } = JSON.parse(vendor.posts.at(-1)?.body.toString() ?? '{}') as Sent;
      const report = { RecordType: 'Delivery', MessageID: `p${round}`, Metadata };
      const hook = `/hooks/${String(made.json['token'])}`;
      const answer = await send(at.url, hook, { headers: { authorization }, json: report });
      expect(answer.status).to.equal(202);
      const run = await until(
        async () => (await send(at.url, `/runs/${runs[0]?.run_id ?? ''}`, { key: at.key })).json,
        ({ status }) => status === 'completed',
      );
      expect(run['resolution']).to.match(/^rec_/);
    }
  });
});
