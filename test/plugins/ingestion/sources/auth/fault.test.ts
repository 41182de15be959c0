import { expect } from 'chai';
import { faultOf } from '../../../../../plugins/ingestion/sources/auth/fault.ts';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import type { Vendor } from '../../../../../plugins/ingestion/sources/vendors/vendor.ts';

const now = Date.UTC(2026, 10, 21);
const arrival = { method: 'POST', headers: {}, query: {}, raw: Buffer.from('{}') } as const;

describe('what is wrong with a delivery', () => {
  it('is said in general where the vendor does not say it', () => {
    const vendor: Vendor = { ...vendors.github, signature: { verify: () => undefined, sign: () => undefined } };
    expect(faultOf(vendor, arrival, { scheme: 'signature' }, now)).to.contain('no signature that matches');
  });

  it('is the scheme of the source where its vendor makes no signature', () => {
    expect(faultOf({}, arrival, { scheme: 'signature' }, now)).to.contain('`auth.scheme`');
  });

  it('is said also of a time that no date can hold', () => {
    const auth = { scheme: 'signature', timestamp_header: 'X-Time' } as const;
    const headers = { 'x-signature': 'ab', 'x-time': '999999999999' };
    expect(faultOf(vendors.generic, { ...arrival, headers }, auth, now)).to.contain('from the future');
  });
});
