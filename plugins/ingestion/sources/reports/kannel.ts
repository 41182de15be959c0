import type { DeliveryState } from '../../../runtime/contract.ts';
import { meaning, text, time } from '../vendors/read.ts';
import { snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';

// kannel.org/download/1.4.5/userguide-1.4.5/userguide.html#DELIVERY-REPORTS: the bit in %d
const states: Readonly<Record<string, DeliveryState>> = {
  1: 'delivered',
  2: 'undelivered',
  4: 'queued',
  8: 'sent',
  16: 'rejected_later',
};

/** Kannel: delivery reports by GET of `dlr-url`; it signs nothing, so its reports settle no run. */
export const kannel = defineReports({
  name: 'kannel',
  methods: ['GET', 'POST'],
  schemes: ['url'],
  read(body) {
    const state = meaning(states, text(body, 'status'));
    const code = text(body, 'error');
    return state === undefined ? [] : [{ state, at: time(body, 'at'), vendor_id: text(body, 'id'), code }];
  },
  fixture: (_, id) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ id, status: '1' }).toString(),
  }),
  setup: ({ url }) => ({
    steps: [
      '`may_name.providers` of the source names the provider. Each message names the address of its own reports.',
      'Kannel signs nothing: let only the gateway reach the address. Its reports are shown with the run, and settle none.',
    ],
    snippets: [snippet('Address of the source', url)],
  }),
});
