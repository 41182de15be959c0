import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import twilioClient from 'twilio';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { startVendor, type VendorContract, type VendorReply, type VendorServer } from '../../helpers/vendor.ts';
import type { SmsBed } from './vendors/bed.ts';
import { twilioBed } from './vendors/twilio.ts';
import { vonageBed } from './vendors/vonage.ts';

const count = Number(process.env['SMS_SWAP_CALLS'] ?? 60);
const orb_id = 'notify.sms@1.0.0';
const publicUrl = 'https://orb.example.com';
const secrets = { twilio: 'an-auth-token', vonage: 'a-signature-secret' };

type Name = keyof typeof secrets;

/** A report as its vendor sends it, to the path of the address that the message named. */
interface Report {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type State = 'sent' | 'delivered';

// Signed by Twilio's own client.
async function twilioReport(address: string, id: string, state: State): Promise<Report> {
  const fields = { MessageSid: id, MessageStatus: state };
  const { getExpectedTwilioSignature } = twilioClient;
  return {
    path: address.slice(publicUrl.length),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': getExpectedTwilioSignature(secrets.twilio, address, fields),
    },
    body: new URLSearchParams(fields).toString(),
  };
}

async function vonageReport(address: string, id: string, state: State, client_ref = ''): Promise<Report> {
  const status = state === 'sent' ? 'submitted' : state;
  const body = JSON.stringify({
    message_uuid: id,
    status,
    client_ref,
    timestamp: new Date().toISOString(),
    channel: 'sms',
  });
  const payload_hash = createHash('sha256').update(body).digest('hex');
  const token = await new SignJWT({ payload_hash, iss: 'Vonage' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .sign(Buffer.from(secrets.vonage));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return { path: address.slice(publicUrl.length), headers, body };
}

describe('reports on text messages while the provider is swapped', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  const vendors = new Map<Name, VendorServer>();
  // By the text of the message: the vendor that took it, and the deliveries that reported on it.
  const taken = new Map<string, Name[]>();
  const reported = new Map<string, string[]>();
  const sending: Promise<void>[] = [];

  const send = async (text: string, { path, headers, body }: Report): Promise<void> => {
    const answer = await fetch(platform.url + path, { method: 'POST', headers, body });
    const { delivery_id } = (await answer.json()) as { delivery_id: string };
    expect(answer.status).to.equal(202);
    reported.set(text, [...(reported.get(text) ?? []), delivery_id]);
  };

  // Takes each message under an id of its own, and reports on it at once: the end first, or twice.
  const reporting =
    (name: Name, bed: SmsBed, member: string): VendorContract =>
    async (request) => {
      const documented = await bed.contract(request);
      if (documented.status >= 300) return documented;
      const { text, report_url = '', key } = bed.posted(request);
      taken.set(text, [...(taken.get(text) ?? []), name]);
      const id = name === 'twilio' ? `SM${createHash('md5').update(text).digest('hex')}` : `uuid-${text.slice(5)}`;
      const report = async (state: State): Promise<void> =>
        send(
          text,
          await (name === 'twilio' ? twilioReport(report_url, id, state) : vonageReport(report_url, id, state, key)),
        );
      const number = Number(text.slice(5));
      const states: readonly State[] = number % 3 === 0 ? ['delivered', 'sent'] : ['sent', 'delivered'];
      sending.push(states.reduce(async (before, state) => before.then(() => report(state)), Promise.resolve()));
      return { ...documented, body: { ...(documented.body as object), [member]: id } } satisfies VendorReply;
    };

  before(async () => {
    vendors.set('twilio', await startVendor(reporting('twilio', twilioBed, 'sid')));
    vendors.set('vonage', await startVendor(reporting('vonage', vonageBed, 'message_uuid')));
    const config = (name: Name, bed: SmsBed) => {
      const found = bed.config(vendors.get(name)?.url ?? '') as Record<string, unknown>;
      return { ...found, [bed.credential]: { $env: name.toUpperCase() } };
    };
    const secretOf = (bed: SmsBed): string => bed.secrets[0] ?? '';
    platform = await startPlatform({
      env: { ORB_PUBLIC_URL: publicUrl, TWILIO: secretOf(twilioBed), VONAGE: secretOf(vonageBed), KEY: 'abcd1234' },
      platform: {
        providers: {
          twilio: { adapter: 'sms/twilio', config: config('twilio', twilioBed) },
          vonage: { adapter: 'sms/vonage', config: { ...config('vonage', vonageBed), api_key: { $env: 'KEY' } } },
        },
        bindings: { [orb_id]: ['twilio'] },
      },
    });
    for (const name of ['twilio', 'vonage'] as const) {
      const source = { name: `${name}-reports`, vendor: name, secret: secrets[name], may_name: { providers: [name] } };
      const made = await platform.call('POST', '/sources', source);
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
    }
  });
  after(async () => {
    await platform?.stop();
    for (const vendor of vendors.values()) await vendor.close();
  });

  it('find their runs, settle those whose answer was lost, and no message is sent twice', async () => {
    // Every fourth answer is lost: a provider that always fails would be left out.
    for (const vendor of vendors.values()) {
      let calls = 0;
      vendor.fault = 'lost';
      vendor.meets = () => (calls += 1) % 4 === 0;
    }
    const runs = new Map<string, string>();
    const waiting = Array.from({ length: count }, (_, at) => `text ${at}`);
    const work = async (): Promise<void> => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        const inputs = { to: '+4915123456789', text };
        const { status, body } = await platform.call('POST', '/orbisets/default/execute', { orb_id, inputs });
        expect([200, 504], JSON.stringify(body)).to.include(status);
        runs.set(text, body.run_id);
        if (text === `text ${Math.floor(count / 2)}`)
          expect((await platform.call('POST', `/providers/${orb_id}/swap`, { provider: 'vonage' })).status).to.equal(
            200,
          );
      }
    };
    await Promise.all(Array.from({ length: 6 }, work));
    await Promise.all(sending);

    expect(
      [...taken.values()].map((by) => by.length),
      'messages for each text',
    ).to.deep.equal(Array(count).fill(1));
    const by = [...taken.values()].flat();
    for (const name of vendors.keys())
      expect(by.filter((one) => one === name).length, name).to.be.greaterThan(count / 6);
    let settled = 0;
    for (const [text, run_id] of runs) {
      const run = await until(
        async () => (await platform.call('GET', `/runs/${run_id}`)).body,
        ({ status, delivery }) => status === 'completed' && delivery?.evidence.length === 2,
        text,
        20,
      );
      expect(run.delivery.state, text).to.equal('delivered');
      expect([...run.delivery.evidence].sort(), text).to.deep.equal([...(reported.get(text) ?? [])].sort());
      if (run.resolution !== undefined) settled += 1;
    }
    expect(settled, 'settled runs').to.be.greaterThan(count / 8);
  });
});
