import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answer } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import type { VendorReply } from '../../../helpers/vendor.ts';
import { startIngestion, type Hooked, type IngestionHome } from '../home.ts';
import { authToken, publicUrl, twilioRequest } from './bed.ts';

const orb_id = 'notify.sms@1.0.0';
const runs = Number(process.env['REPORTS_RUNS'] ?? 80);
const atOnce = 8;
const jwtSecret = 'a-made-up-signature-secret';

/** A vendor on loopback that takes every message, loses each fourth answer and reports on all of them. */
async function startSmsVendor(refusal: VendorReply, take: (body: string) => VendorReply | undefined) {
  let taken = 0;
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void text(request).then((body) => {
      const answer = take(body);
      if (answer !== undefined && taken++ % 4 === 0) return response.destroy();
      // A probe has no recipient.
      const { status, body: said } = answer ?? refusal;
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, taken: () => taken, close: () => server.close() };
}

function vonageRequest(fields: object): Hooked {
  const body = JSON.stringify(fields);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  // The clock of the platform is ahead.
  const claims = {
    iat: Math.floor(Date.UTC(2026, 10, 21, 12) / 1000) + 1,
    payload_hash: createHash('sha256').update(body).digest('hex'),
  };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const token = `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`;
  return { headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body };
}

describe('a swap from Twilio to Vonage under load, while reports arrive for both', function () {
  this.timeout(180_000);
  let home: IngestionHome;
  let vendors: Awaited<ReturnType<typeof startSmsVendor>>[];
  const reports: Promise<unknown>[] = [];
  /** Reports twice of each state, later and in any order. */
  const later = (address: string, made: (state: number) => Hooked): void => {
    for (const state of [0, 1, 1, 0])
      reports.push(
        delay(Math.random() * 200).then(async () => {
          const { status } = await home.hook(address.replace(publicUrl, ''), made(state));
          expect(status).to.be.oneOf([200, 202]);
        }),
      );
  };

  before(async () => {
    vendors = [
      await startSmsVendor({ status: 400, body: { code: 21604, message: 'a To is required', status: 400 } }, (body) => {
        const form = new URLSearchParams(body);
        const address = form.get('StatusCallback') ?? '';
        const sid = `SM${randomUUID().replaceAll('-', '')}`;
        if (!form.has('To')) return undefined;
        later(address, (state) => {
          const fields = { MessageSid: sid, MessageStatus: ['sent', 'delivered'][state] ?? '' };
          return twilioRequest(address, fields, authToken);
        });
        return { status: 201, body: { sid, status: 'queued', num_segments: '1' } };
      }),
      await startSmsVendor(
        { status: 422, body: { type: 'https://developer.vonage.com/api-errors/messages#1020' } },
        (body) => {
          const { client_ref, to, webhook_url = '' } = JSON.parse(body) as Record<string, string>;
          const message_uuid = randomUUID();
          if (to === undefined) return undefined;
          later(webhook_url, (state) =>
            vonageRequest({ message_uuid, client_ref, status: ['submitted', 'delivered'][state] }),
          );
          return { status: 202, body: { message_uuid } };
        },
      ),
    ];
    const [twilio, vonage] = vendors;
    const sid = 'a'.repeat(32);
    const senders = { default: '+4915123456789' };
    home = await startIngestion({
      env: { ORB_PUBLIC_URL: publicUrl, SECRET: 'a-made-up-secret' },
      platform: {
        providers: {
          one: {
            adapter: 'sms/twilio',
            config: {
              account_sid: `AC${sid}`,
              key_sid: `SK${sid}`,
              key_secret: { $env: 'SECRET' },
              senders,
              base_url: twilio?.url,
            },
          },
          two: {
            adapter: 'sms/vonage',
            config: { api_key: { $env: 'SECRET' }, api_secret: { $env: 'SECRET' }, senders, base_url: vonage?.url },
          },
        },
        bindings: { [orb_id]: ['one', 'two'] },
      },
    });
    const limits = { rate_per_second: 1000, burst: 10_000 };
    await home.source({ name: 'one', vendor: 'twilio', secret: authToken, may_name: { providers: ['one'] }, limits });
    await home.source({ name: 'two', vendor: 'vonage', secret: jwtSecret, may_name: { providers: ['two'] }, limits });
  });
  after(async () => {
    await home?.stop();
    for (const vendor of vendors ?? []) vendor.close();
  });

  it(`each report of ${runs} runs finds its run, and every run ends as completed`, async () => {
    const answers: Answer[] = [];
    const asked = { orb_id, inputs: { to: '+4915123456789', text: 'hello' } };
    let begun = 0;
    const worker = async (): Promise<void> => {
      while (begun++ < runs) answers.push(await home.platform.call('POST', '/orbisets/default/execute', asked));
    };
    const load = Promise.all(Array.from({ length: atOnce }, worker));
    await until(
      () => answers.length,
      (done) => done >= runs / 3,
      'a third of the runs',
      5,
    );
    const swapped = await home.platform.call('POST', `/providers/${orb_id}/swap`, { provider: 'two' });
    expect(swapped.status, JSON.stringify(swapped.body)).to.equal(200);
    await load;
    await Promise.all(reports);
    const lost = answers.filter(({ status }) => status === 504).length;
    expect(lost).to.be.greaterThan(runs / 8);
    for (const vendor of vendors) expect(vendor.taken()).to.be.greaterThan(5);
    for (const { status, body } of answers) {
      expect(status, JSON.stringify(body)).to.be.oneOf([200, 504]);
      const run = await until(
        () => home.get(`/runs/${body.run_id}`),
        // A report of an earlier state may be read last.
        ({ status: now, delivery }) =>
          now === 'completed' && delivery?.state === 'delivered' && delivery.evidence.length > 1,
        body.run_id,
        20,
      );
      // Each state came twice, and equal bytes are one delivery.
      expect(run.delivery.evidence).to.have.length(2);
      expect(run.resolution === undefined).to.equal(status === 200);
    }
  });
});
