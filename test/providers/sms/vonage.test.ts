import { expect } from 'chai';
import { Auth } from '@vonage/auth';
import { Messages, SMS } from '@vonage/messages';
import { compile } from '../../../kernel/index.ts';
import { vonageCodes } from '../../../providers/sms/vendor/tables.ts';
import { createStage, full, inputs, key, refused, report_url, send, senders } from './vendors/bed.ts';
import { smsSuite } from './vendors/suite.ts';
import { claimsOf, credentials, vonageBed } from './vendors/vonage.ts';

const { application_id, private_key } = credentials;
const application = (url: string): object => ({ application_id, private_key, senders, base_url: url });

describe('sms/vonage', () => {
  smsSuite(vonageBed);
  const { vendor: start, open } = createStage(vonageBed);

  it('sends every field, and the encoding that was counted', async () => {
    const vendor = await start();
    const handle = await open(vonageBed.config(vendor.url));
    const { outputs } = await send(handle, { given: full });
    await send(handle);
    expect(outputs).to.include({ encoding: 'ucs2', segments: 1 });
    expect(JSON.parse(vendor.posts[0]?.body.toString('utf8') ?? '')).to.deep.equal({
      ...{ message_type: 'text', channel: 'sms', to: '4915123456789', from: 'Example', text: full.text, ttl: 3660 },
      ...{ client_ref: key, webhook_url: report_url, webhook_version: 'v1', sms: { encoding_type: 'unicode' } },
    });
    expect(vendor.posts.map((request) => vonageBed.posted(request).encoding)).to.deep.equal(['unicode', 'text']);
  });

  it('takes no text of more than 1000 characters', async () => {
    const vendor = await start();
    const handle = await open(vonageBed.config(vendor.url));
    const given = (length: number) => ({ given: { ...inputs, text: 'a'.repeat(length), max_segments: 10 } });
    expect((await send(handle, given(1000))).outputs).to.include({ segments: 7 });
    expect((await refused(handle, given(1001))).reason).to.equal('content_too_long');
    expect(vendor.posts).to.have.length(1);
  });

  it('signs a new token for each call of an application', async () => {
    const vendor = await start();
    const handle = await open(application(vendor.url));
    await handle.probe?.(new AbortController().signal);
    for (const _ of [1, 2]) expect((await send(handle)).outputs).to.deep.equal(vonageBed.outputs);
    const claims = vendor.posts.map(({ headers }) => claimsOf(headers['authorization']));
    expect(claims.every((one) => one?.application_id === application_id)).to.equal(true);
    expect(new Set(claims.map((one) => one?.jti)).size).to.equal(3);
  });

  it('shows no part of the key or the token', async () => {
    const vendor = await start();
    vendor.fault = { status: 401, body: {} };
    const { said, error } = await send(await open(application(vendor.url)));
    expect(error?.outcome).to.equal('provider_fault');
    const [, line = ''] = private_key.split('\n');
    for (const secret of [line, 'eyJ']) expect(said).not.to.include(secret);
  });

  it('does not open with a key that is none', async () => {
    for (const broken of [`-----BEGIN PRIVATE KEY-----\nbroken\n-----END PRIVATE KEY-----`]) {
      const failed = await open({ ...application('http://127.0.0.1:1'), private_key: broken }).catch(
        (error: unknown) => error,
      );
      expect(failed).to.include({ outcome: 'provider_fault', remedy: 'check `private_key`' });
    }
  });

  it('needs an application or an account, whole', () => {
    const faults = (config: object): number => compile(vonageBed.adapter.config)({ senders, ...config }).length;
    const { api_key, api_secret } = credentials;
    expect([faults({ application_id, private_key }), faults({ api_key, api_secret })]).to.deep.equal([0, 0]);
    for (const half of [{}, { application_id }, { private_key }, { api_key }, { api_secret, application_id }])
      expect(faults(half), Object.keys(half).join()).to.be.greaterThan(0);
  });

  it('has a documented answer for each code of its table', () => {
    const listed = Object.values(vonageCodes).flatMap((codes) => codes.split(' '));
    const documented = vonageBed.answers.map(({ name }) => name).filter((name) => name !== '1999');
    expect(documented.sort()).to.deep.equal(listed.sort());
  });

  it("has a double that Vonage's own client takes for Vonage", async () => {
    const vendor = await start();
    const auth = new Auth({ applicationId: application_id, privateKey: private_key });
    const client = new Messages(auth, { apiHost: vendor.url });
    const message = { to: '4915123456789', from: 'Example', text: full.text, clientRef: key };
    const sent = await client.send(
      new SMS({ ...message, webhookUrl: report_url, webhookVersion: 'v1', sms: { encodingType: 'unicode' } } as never),
    );
    expect(sent.messageUUID).to.equal((vonageBed.success.body as { message_uuid: string }).message_uuid);
    await send(await open(application(vendor.url)), { given: { ...full, valid_for_s: undefined } });
    const [theirs, ours] = vendor.posts.map((request) => vonageBed.posted(request));
    expect(ours).to.deep.equal(theirs);
  });
});
