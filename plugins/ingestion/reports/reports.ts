import type { Log, Metrics } from '../../../kernel/index.ts';
import type { DeliveryReports, DeliveryState, Reported, ReportedCall, Runtime } from '../../runtime/contract.ts';
import { fingerprintOf } from '../deliveries/queue/signal-from-draft.ts';
import type { DeliveryReads } from '../deliveries/reading.ts';
import type { Signal } from '../signals/signal.ts';
import type { LiveSource, Registry } from '../sources/registry.ts';
import { episodeOfId, episodeOfKey } from '../sources/reports/define.ts';
import { reportsOn } from '../sources/source.ts';
import { foldReports } from './fold.ts';

interface ReportsOptions {
  readonly reads: Pick<DeliveryReads, 'reportsOf'>;
  readonly registry: Pick<Registry, 'reportersOf'>;
  readonly runtime: Pick<Runtime, 'settleReported'>;
  readonly publicUrl: string;
  readonly metrics: Metrics;
  readonly log: Pick<Log, 'warn'>;
}

const mostEvidence = 100;

/** Makes the port of delivery reports, and what takes those that arrive. */
export function createReports(options: ReportsOptions) {
  const { registry, runtime, publicUrl, log } = options;
  const conflicts = options.metrics.counter(
    'orb_delivery_conflicts_total',
    'Delivery reports that contradict an earlier end of their message',
    ['vendor'],
  );
  const of: DeliveryReports['of'] = (calls) => reported(calls, options);
  return {
    port: {
      addressOf(provider) {
        const token = registry.reportersOf(provider).findLast(({ deleted }) => !deleted)?.report_token;
        return token === undefined ? undefined : `${publicUrl}/hooks/${token}`;
      },
      of,
    } satisfies DeliveryReports,
    /** Settles the runs that the reports of a turn prove to be done, and notes those that contradict others. */
    async taken(source: LiveSource, reports: readonly Signal[]): Promise<void> {
      const { source_id, vendor } = source.record;
      const keys = new Set(reports.flatMap(({ test, labels }) => (test ? [] : (labels['key'] ?? []))));
      const ended = new Set(reports.flatMap(({ labels }) => (isEnd(labels['state']) ? (labels['key'] ?? []) : [])));
      for (const key of keys)
        for (const provider of reportsOn(source)) {
          try {
            await runtime.settleReported({ provider, key });
            if (!ended.has(key) || (await of([{ provider, key }]))?.delivery.conflict !== true) continue;
            conflicts.inc({ vendor });
            log.warn({ source_id, provider }, 'delivery_conflict: two reports say that a message ended differently');
          } catch (err) {
            // The look-up in the background settles it later.
            log.warn({ err, source_id }, 'a delivery report could not settle its run');
          }
        }
    },
  };
}

const isEnd = (state: string | undefined): boolean =>
  ['delivered', 'undelivered', 'expired', 'rejected_later'].includes(state ?? '');

async function reported(
  calls: readonly ReportedCall[],
  { registry, reads }: ReportsOptions,
): Promise<Reported | undefined> {
  const asked = calls.flatMap(({ provider, key }) => registry.reportersOf(provider).map((source) => ({ source, key })));
  if (asked.length === 0) return undefined;
  const place = ({ record }: LiveSource, episode: string) => fingerprintOf(record.source_id, record.vendor, episode);
  const keyed = await reads.reportsOf(asked.map(({ source, key }) => place(source, episodeOfKey(key))));
  // A vendor may give the key back in some of its reports only.
  const more = keyed.flatMap(({ source_id, vendor, vendor_event_id: id }) =>
    id === undefined ? [] : fingerprintOf(source_id, vendor, episodeOfId(id)),
  );
  const found = [...keyed, ...(await reads.reportsOf([...new Set(more)]))].filter(({ test }) => !test);
  return reportedBy(found);
}

function reportedBy(signals: readonly Signal[]): Reported | undefined {
  const facts = signals.map(({ labels, occurred_at: at, body_digest: digest }) => {
    return { state: labels['state'] as DeliveryState, at, part: labels['part'], digest };
  });
  const folded = foldReports(facts);
  if (folded === undefined) return undefined;
  const { state, at, conflict } = folded;
  const evidence = [...new Set(signals.map(({ delivery_id }) => delivery_id))].sort().slice(0, mostEvidence);
  const delivery = { state, at, ...(conflict ? { conflict } : {}), evidence };
  const proof = signals
    .filter(({ auth_strength: strength }) => strength === 'strong' || strength === 'shared_secret')
    .sort((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1))[0];
  if (proof === undefined) return { delivery };
  return { delivery, proof: { delivery_id: proof.delivery_id, digest: proof.body_digest } };
}
