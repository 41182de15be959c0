import { reportVendorNames, vendorNames, vendorPattern, type VendorName } from '../signals/words.ts';
import { kannel } from './reports/kannel.ts';
import { mailgun } from './reports/mailgun.ts';
import { postmark } from './reports/postmark.ts';
import { resend } from './reports/resend.ts';
import { sendgrid } from './reports/sendgrid.ts';
import { ses } from './reports/ses.ts';
import { twilio } from './reports/twilio.ts';
import { vonage } from './reports/vonage.ts';
import { absentVendor } from './vendors/absent-vendor.ts';
import { alertmanager } from './vendors/alertmanager.ts';
import { cloudevents } from './vendors/cloudevents.ts';
import { datadog } from './vendors/datadog.ts';
import { generic } from './vendors/generic.ts';
import { github } from './vendors/github.ts';
import { grafana } from './vendors/grafana.ts';
import { mixpanel } from './vendors/mixpanel.ts';
import { pagerduty } from './vendors/pagerduty.ts';
import { segment } from './vendors/segment.ts';
import { sentry } from './vendors/sentry.ts';
import { standardWebhooks } from './vendors/standard-webhooks.ts';
import { uptimeKuma } from './vendors/uptime-kuma.ts';
import { defineVendor, type Vendor } from './vendors/vendor.ts';

const builtIn = [...vendorNames, ...reportVendorNames] as const;

/** The vendors that are built in, by name. */
export const vendors: Readonly<Record<(typeof builtIn)[number], Vendor>> = Object.freeze({
  alertmanager,
  cloudevents,
  datadog,
  generic,
  github,
  grafana,
  mixpanel,
  pagerduty,
  segment,
  sentry,
  'standard-webhooks': standardWebhooks,
  'uptime-kuma': uptimeKuma,
  ...{ kannel, mailgun, postmark, resend, sendgrid, ses, twilio, vonage },
});

/** Of several platforms in one process each may add a vendor of the same name: the newest serves. */
const added: Vendor[] = [];

/** Finds a vendor by its name; one whose plugin is not loaded refuses all deliveries. */
export function vendorOf(name: VendorName): Vendor {
  return found(name) ?? absentVendor(name);
}

/** Lists all vendors: the ones that are built in first, then those of plugins. */
export function allVendors(): readonly Vendor[] {
  const names = [...new Set(added.map(({ name }) => name))];
  return [...Object.values(vendors), ...names.flatMap((name) => found(name) ?? [])];
}

/** Says whether a vendor is built in, or was added by a plugin. */
export function isVendor(name: VendorName): boolean {
  return found(name) !== undefined;
}

/**
 * Adds the vendor of a plugin, before an earlier one of the name, with the defaults of what it leaves out; returns a
 * function that removes it. `guard`: contains the defects of its functions. Throws TypeError for a wrong one.
 */
export function addVendor(vendor: Vendor, guard = (sound: Vendor): Vendor => sound): () => void {
  const { name } = vendor;
  if (Object.hasOwn(vendors, name) || !vendorPattern.test(name) || name.length > longestName)
    throw new TypeError(`a vendor cannot have the name ${JSON.stringify(name)}: write it like acme-monitor`);
  const whole = defineVendor(vendor);
  const fault = faultIn(whole);
  if (fault !== undefined) throw new TypeError(`the vendor ${name} ${fault}`);
  const own = guard(whole);
  added.push(own);
  return () => {
    const at = added.indexOf(own);
    if (at >= 0) added.splice(at, 1);
  };
}

// As the API takes it.
const longestName = 63;
// Larger bodies are read in a thread, which has the vendors that are built in.
const mostAddedBytes = 256 * 1024;

// A plugin may be plain JavaScript; what is wrong would show at each delivery only.
function faultIn({ limits, schemes, signature, version, ...rest }: Vendor): string | undefined {
  const counts = { ...(limits as Partial<Vendor['limits']> | undefined) };
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
  if (![counts.bytes, counts.keys, counts.most_bytes ?? 1].every(isCount))
    return 'must have the limits `bytes` and `keys`: whole numbers above 0';
  if (Math.max(limits.bytes, limits.most_bytes ?? 0) > mostAddedBytes)
    return `may take bodies of at most ${mostAddedBytes} bytes`;
  if (!Number.isSafeInteger(version)) return 'must have a version: a whole number';
  if (!Array.isArray(schemes) || schemes.length === 0) return 'must name its authentication in `schemes`';
  if (schemes.includes('signature') && typeof signature?.verify !== 'function')
    return 'names the scheme signature, and has no `signature` that verifies it';
  const missing = (['normalize', 'fixture', 'setup', 'deliveryKey'] as const).find(
    (member) => typeof rest[member] !== 'function',
  );
  return missing === undefined ? undefined : `must have the function \`${missing}\``;
}

function found(name: VendorName): Vendor | undefined {
  const known = builtIn.find((one) => one === name);
  return known === undefined ? added.findLast((one) => one.name === name) : vendors[known];
}
