import { expect } from 'chai';
import { failure, noSignal } from './smtp-bed.ts';
import { testKey } from '../../helpers/conformance.ts';
import { resendBed } from './vendors/resend.ts';
import { createStage, send } from './vendors/stage.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('email/resend', () => {
  vendorSuite(resendBed);
  const { vendor: start, open } = createStage(resendBed);

  it('declares the window and the length of its key', () => {
    expect(resendBed.adapter.idempotency).to.deep.equal({ kind: 'native', window_s: 86400, max_len: 256 });
  });

  it('sends under our key', async () => {
    const vendor = await start();
    await send(await open(resendBed.config(vendor.url)));
    expect(vendor.posts[0]?.headers['idempotency-key']).to.equal(testKey('v'));
  });

  it('takes a key that may only send as genuine', async () => {
    const vendor = await start();
    vendor.fault = { status: 401, body: { statusCode: 401, name: 'restricted_api_key', message: 'restricted' } };
    await (await open(resendBed.config(vendor.url))).probe?.(noSignal());
    vendor.fault = { status: 401, body: { statusCode: 401, name: 'missing_api_key', message: 'missing' } };
    await failure((await open(resendBed.config(vendor.url))).probe?.(noSignal()));
  });

  it('comes back when the window of the rate limit ends', async () => {
    const vendor = await start();
    vendor.fault = { status: 429, headers: { 'ratelimit-reset': '3' }, body: { name: 'rate_limit_exceeded' } };
    expect((await failure(send(await open(resendBed.config(vendor.url))))).retry_after).to.equal(3);
  });
});
