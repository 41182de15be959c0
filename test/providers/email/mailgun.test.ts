import { expect } from 'chai';
import { failure, noSignal } from './smtp-bed.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { mailgunBed } from './vendors/mailgun.ts';
import { createStage } from './vendors/stage.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('email/mailgun', () => {
  vendorSuite(mailgunBed);
  const { vendor: start, open } = createStage(mailgunBed);

  it('fails the probe when the domain is disabled', async () => {
    const vendor = await start();
    for (const domain of [{ state: 'disabled' }, { state: 'active', is_disabled: true }]) {
      vendor.fault = { status: 200, body: { domain } };
      const error = await failure((await open(mailgunBed.config(vendor.url))).probe?.(noSignal()));
      expect(error.outcome).to.equal('provider_fault');
    }
  });

  describe('with a sending key, which may read nothing', () => {
    let vendor: VendorServer;
    beforeEach(async () => {
      vendor = await startVendor((request) =>
        request.method === 'GET' ? { status: 401, body: 'Forbidden' } : mailgunBed.contract(request),
      );
    });
    afterEach(() => vendor.close());

    it('proves itself by a message that cannot be sent', async () => {
      await (await open(mailgunBed.config(vendor.url))).probe?.(noSignal());
      expect([vendor.posts.length, vendor.taken]).to.deep.equal([1, 0]);
      expect(vendor.posts[0]?.body.toString()).to.include('name="o:testmode"\r\n\r\nyes\r\n');
    });

    it('fails the probe when the key is wrong', async () => {
      const handle = await open({ ...mailgunBed.config(vendor.url), api_key: 'wrong' });
      expect((await failure(handle.probe?.(noSignal()))).outcome).to.equal('provider_fault');
    });
  });

  it('refuses a domain that would leave its place in the path', async () => {
    const vendor = await start();
    for (const domain of ['../x.test', 'a/b.test', 'x.test?a=b', 'x test.test', '', 'localhost'])
      expect(
        await open({ ...mailgunBed.config(vendor.url), domain }).then(
          () => 'opened',
          () => 'refused',
        ),
        domain,
      ).to.equal('refused');
  });
});
