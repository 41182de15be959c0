import { expect } from 'chai';
import { vendorOf } from '../../../../plugins/ingestion/sources/vendor-list.ts';
import { reportVendorNames, type VendorName } from '../../../../plugins/ingestion/signals/words.ts';

const mib = 1024 * 1024;
const day = { ttl_s: 86_400 };
const repeats = { stale_after_s: 28_800 };

// Largest body, most members and elements, largest body that a source may set, and own defaults of the policy.
const rows: Readonly<Record<VendorName, readonly [number, number, (number | undefined)?, object?]>> = {
  alertmanager: [10 * mib, 500_000, undefined, repeats],
  cloudevents: [mib, 50_000],
  datadog: [mib, 10_000],
  generic: [mib, 10_000, 10 * mib],
  github: [mib, 50_000, 25 * mib, day],
  grafana: [10 * mib, 200_000, undefined, repeats],
  mixpanel: [mib, 50_000],
  pagerduty: [mib, 10_000],
  segment: [mib, 50_000],
  sentry: [2 * mib, 10_000, undefined, day],
  'standard-webhooks': [mib, 10_000],
  'uptime-kuma': [mib, 10_000],
  ...Object.fromEntries(reportVendorNames.map((name) => [name, [256 * 1024, 10_000]])),
};

describe('the limits of vendors', () => {
  for (const [name, [bytes, keys, most, policy]] of Object.entries(rows))
    it(`are known for ${name}`, () => {
      const vendor = vendorOf(name);
      expect(vendor.name).to.equal(name);
      expect([vendor.limits.bytes, vendor.limits.keys, vendor.limits.most_bytes]).to.deep.equal([bytes, keys, most]);
      expect(vendor.policy).to.deep.equal(policy);
    });
});
