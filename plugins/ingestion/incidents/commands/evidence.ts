import { defineCommand, type Command } from '../../../../kernel/index.ts';
import { lineOf, type ShownIncident } from './show.ts';

interface Evidence {
  readonly incident: ShownIncident;
  readonly receipts: readonly {
    readonly receipt_id: string;
    readonly change: string;
    readonly at: string;
    readonly origin?: string;
    readonly index?: number;
  }[];
  readonly deliveries: readonly {
    readonly delivery_id: string;
    readonly source_id: string;
    readonly digest: string;
    readonly auth_strength: string;
    readonly scheme?: string;
    readonly raw_kept: boolean;
  }[];
  readonly debts: readonly { readonly orb_id: string; readonly debt_milli: number; readonly snapshot_day: string }[];
}

/** `orb incidents evidence`: walks from an incident to its receipts, deliveries and debt. */
export const evidenceCommand: Command = defineCommand({
  path: 'incidents evidence',
  summary: 'walk from an incident to its receipts, the deliveries behind them and the debt it makes',
  args: [{ name: 'incident_id', description: 'inc_…, as `orb incidents list` shows it' }],
  async run(call) {
    const path = `/incidents/${encodeURIComponent(call.args[0] ?? '')}/evidence`;
    const evidence = await call.client().request<Evidence>('GET', path);
    call.print(evidence, show(evidence));
    call.note('verify each receipt with `orb receipts verify`');
  },
});

function show({ incident, receipts, deliveries, debts }: Evidence): string {
  return [
    lineOf(incident),
    ...receipts.map(({ receipt_id, change, at, origin, index }) => {
      const where = origin === undefined ? '' : ` at ${index ?? 0} of ${origin}`;
      return `receipt ${receipt_id}: ${change} ${at}${where}`;
    }),
    ...deliveries.map(({ delivery_id, source_id, digest, auth_strength, scheme, raw_kept }) => {
      const by = scheme === undefined ? auth_strength : `${auth_strength}, ${scheme}`;
      return `delivery ${delivery_id} of ${source_id}: ${digest} (${by}${raw_kept ? '' : ', body dropped'})`;
    }),
    ...debts.map(({ orb_id, debt_milli, snapshot_day }) => `debt ${orb_id}: ${debt_milli / 1000} on ${snapshot_day}`),
  ].join('\n');
}
