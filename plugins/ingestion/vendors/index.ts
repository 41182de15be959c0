import type { VendorName } from '../signals/words.ts';
import { alertmanager } from './alertmanager.ts';
import { cloudevents } from './cloudevents.ts';
import { datadog } from './datadog.ts';
import { generic } from './generic.ts';
import { github } from './github.ts';
import { grafana } from './grafana.ts';
import { mixpanel } from './mixpanel.ts';
import { pagerduty } from './pagerduty.ts';
import { segment } from './segment.ts';
import { sentry } from './sentry.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { uptimeKuma } from './uptime-kuma.ts';
import type { Vendor } from './vendor.ts';

/** Every vendor by name. */
export const vendors: Readonly<Record<VendorName, Vendor>> = Object.freeze({
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
});
