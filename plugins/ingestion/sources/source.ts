import { given } from '../../../kernel/index.ts';
import { vendorOf } from './vendor-list.ts';
import type { Vendor } from './vendors/vendor.ts';
import type { AuthSettings, SourcePolicy, SourceRecord, SourceView, VendorSettings } from './settings/schema.ts';

/** Fills in the authentication settings with the defaults of the vendor. */
export function authOf({ vendor, auth }: Pick<SourceRecord, 'vendor' | 'auth'>): AuthSettings {
  const known = vendorOf(vendor);
  return { scheme: known.schemes[0] ?? 'url', ...known.auth, ...auth };
}

/** Picks the settings of a source that its vendor's code may see. */
export function settingsOf(record: SourceRecord): VendorSettings {
  const { map, delivery_header, delivery_pointer } = record;
  return { auth: authOf(record), ...given({ map, delivery_header, delivery_pointer }) };
}

const everyPolicy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'warning',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: 60,
  reopen_window_s: 900,
};

// One sender alone does not make the public page say that the platform is not available, unless its operator says so.
const everyImpact = {
  critical: 'partial_outage',
  high: 'partial_outage',
  warning: 'degraded_performance',
  info: 'none',
} as const;

/** Makes the view of a source that incidents use, with defaults. */
export function viewOf(record: SourceRecord): SourceView {
  const { source_id, name, vendor, binding, may_name, aliases = [], default_component } = record;
  return {
    source_id,
    name,
    vendor,
    subjects: {
      may_name: { orbs: [], providers: [], components: [], ...may_name },
      aliases,
      ...given({ binding, default_component }),
    },
    policy: {
      ...{ ...everyPolicy, ...vendorOf(vendor).policy, ...record.policy },
      impacts: { ...everyImpact, ...record.policy?.impacts },
    },
  };
}

/** A source, as far as delivery reports are concerned. */
interface Reporter {
  readonly vendor: Pick<Vendor, 'reports'>;
  readonly view: Pick<SourceView, 'subjects'>;
}

/** Names the providers whose delivery reports a source takes: those that its deliveries can report on. */
export function reportsOn({ vendor, view }: Reporter): readonly string[] {
  if (vendor.reports !== true) return [];
  const { binding, may_name } = view.subjects;
  return [...new Set([...may_name.providers, ...(binding?.kind === 'provider' ? [binding.id] : [])])];
}

/** Returns the largest body of a source in bytes, as received and as inflated. */
export function mostBytes({ vendor, limits }: SourceRecord): number {
  const { bytes, most_bytes = bytes } = vendorOf(vendor).limits;
  return Math.min(limits?.max_bytes ?? bytes, most_bytes);
}

/** Returns how long bodies of a source are kept, in days. */
export function retentionDays({ retention_days = 30 }: SourceRecord): number {
  return retention_days;
}
