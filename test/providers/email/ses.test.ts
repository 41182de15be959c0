import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import { sesEndpoint } from '../../../providers/email/ses.ts';
import { signed } from '../../../providers/email/ses/sigv4.ts';
import { failure, noSignal } from './smtp-bed.ts';
import { sesBed } from './vendors/ses.ts';
import { createStage, send } from './vendors/stage.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('email/ses', () => {
  vendorSuite(sesBed);
  const { vendor: start, open } = createStage(sesBed);

  it('names the configuration set and leaves the sender to the message', async () => {
    const vendor = await start();
    await send(await open(sesBed.config(vendor.url)));
    const body = JSON.parse(vendor.posts[0]?.body.toString() ?? '') as object;
    expect(body).to.include({ ConfigurationSetName: 'orbs' }).and.not.have.property('FromEmailAddress');
  });

  it('keeps Bcc out of the message', async () => {
    const vendor = await start();
    const given = {
      to: 'ada@example.org',
      bcc: 'eve@example.org',
      from_address: 'o@example.com',
      subject: '',
      body: '',
    };
    await send(await open(sesBed.config(vendor.url)), { given });
    const { Content } = JSON.parse(vendor.posts[0]?.body.toString() ?? '') as { Content: { Raw: { Data: string } } };
    expect(Buffer.from(Content.Raw.Data, 'base64').toString()).to.include('ada@').and.not.include('eve@');
  });

  it('takes an identity that may not read the account as genuine', async () => {
    const vendor = await start();
    vendor.fault = { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: { message: 'no' } };
    await (await open(sesBed.config(vendor.url))).probe?.(noSignal());
  });

  it('fails the probe when sending is paused', async () => {
    const vendor = await start();
    vendor.fault = { status: 200, body: { SendingEnabled: false } };
    const error = await failure((await open(sesBed.config(vendor.url))).probe?.(noSignal()));
    expect(error.outcome).to.equal('provider_fault');
  });

  it('derives the address from the region, which must be one', () => {
    expect(sesEndpoint('eu-west-1')).to.equal('https://email.eu-west-1.amazonaws.com');
    const { base_url: _, ...config } = sesBed.config('http://localhost') as Record<string, string>;
    const check = compile(sesBed.adapter.config);
    expect(check({ ...config })).to.deep.equal([]);
    for (const region of ['', 'eu', 'eu-west-1.evil.test/', 'EU-WEST-1'])
      expect(check({ ...config, region }), region).not.to.deep.equal([]);
  });

  // The published test suite of Signature Version 4: these requests and no others of it have no query.
  const host = 'example.amazonaws.com';
  const form = 'application/x-www-form-urlencoded';
  const vectors = [
    {
      name: 'get-vanilla',
      method: 'GET',
      signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    },
    {
      name: 'post-vanilla',
      method: 'POST',
      signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    },
    {
      name: 'get-header-value-trim',
      method: 'GET',
      headers: { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
      signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    },
    {
      name: 'post-header-value-case',
      method: 'POST',
      headers: { 'my-header1': 'VALUE1' },
      signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    },
    {
      name: 'post-x-www-form-urlencoded',
      method: 'POST',
      headers: { 'content-type': form },
      body: 'Param1=value1',
      signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    },
    {
      name: 'post-x-www-form-urlencoded-parameters',
      method: 'POST',
      headers: { 'content-type': `${form}; charset=utf8` },
      body: 'Param1=value1',
      signature: '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
    },
    {
      name: 'post-sts-header-before',
      method: 'POST',
      session_token:
        'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/' +
        'qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+' +
        'scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==',
      signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    },
  ];
  for (const { name, method, headers = {}, body, session_token, signature } of vectors)
    it(`signs as published: ${name}`, () => {
      const request = {
        method,
        path: '/',
        headers: { host, ...headers },
        ...(body ? { body: Buffer.from(body) } : {}),
      };
      const secret_access_key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
      const credentials = { access_key_id: 'AKIDEXAMPLE', secret_access_key, session_token };
      const now = new Date('2015-08-30T12:36:00Z');
      const { authorization, ...sent } = signed(request, credentials, { region: 'us-east-1', service: 'service', now });
      const names = Object.keys(sent).sort().join(';');
      expect(sent['x-amz-date']).to.equal('20150830T123600Z');
      expect(authorization).to.equal(
        `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
      );
    });
});
