import { expect } from 'chai';
import { failure, noSignal } from './smtp-bed.ts';
import { sendgridBed } from './vendors/sendgrid.ts';
import { createStage, inputs, send } from './vendors/stage.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('email/sendgrid', () => {
  vendorSuite(sendgridBed);
  const { vendor: start, open } = createStage(sendgridBed);

  it('names each address once, in the first list that holds it', async () => {
    const vendor = await start();
    const to = 'Ada <ada@example.org>, bob@example.org, ADA@example.org';
    const given = {
      ...inputs,
      to,
      cc: 'bob@example.org',
      bcc: 'eve@example.org, ada@example.org',
      reply_to: 'a@b.test, a@b.test',
    };
    await send(await open(sendgridBed.config(vendor.url)), { given });
    const [request] = vendor.posts;
    expect(request && sendgridBed.posted(request)).to.deep.include({
      to: ['Ada <ada@example.org>', 'bob@example.org'],
      cc: [],
      bcc: ['eve@example.org'],
      reply_to: ['a@b.test'],
    });
  });

  it('leaves out an empty part', async () => {
    const vendor = await start();
    await send(await open(sendgridBed.config(vendor.url)), { given: { ...inputs, body: '', html: '<p>Hi</p>' } });
    const [request] = vendor.posts;
    expect(request && sendgridBed.posted(request)).to.deep.include({ text: undefined, html: '<p>Hi</p>' });
  });

  it('fails the probe with a key that may not send', async () => {
    const vendor = await start();
    for (const body of [{ scopes: ['user.read'] }, {}, 'x']) {
      vendor.fault = { status: 200, body };
      const error = await failure((await open(sendgridBed.config(vendor.url))).probe?.(noSignal()));
      expect(error.outcome).to.equal('provider_fault');
    }
  });

  it('comes back when the window of the rate limit ends', async () => {
    const vendor = await start();
    const headers = { 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 40) };
    vendor.fault = { status: 429, headers, body: {} };
    expect((await failure(send(await open(sendgridBed.config(vendor.url))))).retry_after).to.be.within(30, 41);
  });
});
