import { expect } from 'chai';
import twilioClient from 'twilio';
import { twilioCodes } from '../../../providers/sms/vendor/tables.ts';
import { createStage, full, inputs, refused, report_url, send } from './vendors/bed.ts';
import { smsSuite } from './vendors/suite.ts';
import { credentials, twilioBed } from './vendors/twilio.ts';

const service = `MG${'3d'.repeat(16)}`;

describe('sms/twilio', () => {
  smsSuite(twilioBed);
  const { vendor: start, open } = createStage(twilioBed);

  it('sends every field, and switches off what would change the text', async () => {
    const vendor = await start();
    const handle = await open(twilioBed.config(vendor.url));
    const { outputs } = await send(handle, { given: full });
    expect(outputs).to.include({ encoding: 'ucs2', segments: 1 });
    const [request] = vendor.posts;
    expect(Object.fromEntries(new URLSearchParams(request?.body.toString('utf8')))).to.deep.equal({
      ...{ To: full.to, From: 'Example', Body: full.text, StatusCallback: report_url, ValidityPeriod: '3660' },
      ...{ SmartEncoded: 'false', ShortenUrls: 'false' },
    });
  });

  it('sends by a messaging service where the sender is one', async () => {
    const vendor = await start();
    const handle = await open({ ...twilioBed.config(vendor.url), senders: { default: service } });
    await send(handle);
    const form = new URLSearchParams(vendor.posts[0]?.body.toString('utf8'));
    expect([form.get('MessagingServiceSid'), form.has('From')]).to.deep.equal([service, false]);
  });

  const statuses = { accepted: 'accepted', scheduled: 'accepted', queued: 'queued', sending: 'queued', sent: 'sent' };
  for (const [status, shown] of Object.entries(statuses))
    it(`answers ${shown} where Twilio says ${status}`, async () => {
      const vendor = await start();
      vendor.fault = { status: 201, body: { ...(twilioBed.success.body as object), status, num_segments: '0' } };
      const { outputs } = await send(await open(twilioBed.config(vendor.url)));
      expect(outputs).to.include({ status: shown, vendor_segments: 0 });
    });

  it('has a documented answer for each code of its table', () => {
    const listed = Object.values(twilioCodes).flatMap((codes) => codes.split(' '));
    const documented = twilioBed.answers.map(({ name }) => name).filter((name) => /^\d+$/.test(name));
    expect(documented.sort()).to.deep.equal(listed.sort());
  });

  describe("by Twilio's own client", () => {
    const client = (url: string, secret = credentials.secret) => {
      const { account, keySid } = credentials;
      const made = twilioClient(keySid, secret, { accountSid: account });
      const { httpClient } = made;
      const request = httpClient.request.bind(httpClient);
      httpClient.request = (options) =>
        request({ ...options, uri: options.uri.replace('https://api.twilio.com', url) });
      return made;
    };

    it('the double is one of Twilio: it takes the same message', async () => {
      const vendor = await start();
      const message = {
        to: inputs.to,
        from: '+4915100000000',
        body: full.text,
        smartEncoded: false,
        validityPeriod: 60,
      };
      const taken = await client(vendor.url).messages.create({ ...message, statusCallback: report_url });
      expect(taken).to.include({
        sid: twilioBed.outputs && 'message_id' in twilioBed.outputs ? twilioBed.outputs.message_id : '',
        status: 'queued',
      });
      expect(vendor.taken).to.equal(1);
      await send(await open(twilioBed.config(vendor.url)), { given: { ...inputs, text: full.text, valid_for_s: 60 } });
      const [theirs, ours] = vendor.posts.map((request) => twilioBed.posted(request));
      expect(ours).to.deep.equal(theirs);
    });

    it('and refuses with the same codes', async () => {
      const vendor = await start();
      const failed = async (secret: string | undefined, to: string): Promise<unknown> =>
        client(vendor.url, secret)
          .messages.create({ to, from: '+4915100000000', body: 'Hello' })
          .then(
            () => 'taken',
            (error: unknown) => (error as { code?: unknown }).code,
          );
      expect([await failed(undefined, 'ada'), await failed('wrong', inputs.to)]).to.deep.equal([21211, 20003]);
      const wrong = await open({ ...twilioBed.config(vendor.url), key_secret: 'wrong' });
      expect((await refused(wrong)).message).to.include('20003');
    });
  });
});
