import type { Metrics } from '../../../kernel/index.ts';

/** Counters of the intake and of what follows; labels are of bounded sets. */
export interface IngestMetrics {
  delivered(vendor: string, result: 'accepted' | 'duplicate' | 'rejected' | 'ignored' | 'dead'): void;
  refused(vendor: string, reason: 'authentication' | 'rate' | 'pressure' | 'size'): void;
  acknowledged(vendor: string, seconds: number, bytes: number): void;
  skewed(seconds: number): void;
  failed(vendor: string): void;
  replayed(count: number): void;
  used(vendor: string, count: number): void;
}

/** Registers the metrics of ingestion. */
export function ingestMetrics(metrics: Metrics): IngestMetrics {
  const deliveries = metrics.counter('orb_ingest_deliveries_total', 'Deliveries by result', ['vendor', 'result']);
  const refusals = metrics.counter('orb_ingest_refusals_total', 'Requests answered 401, 413 or 503', [
    'vendor',
    'reason',
  ]);
  const ack = metrics.histogram('orb_ingest_ack_duration_seconds', 'Arrival to acknowledgement', ['vendor']);
  const bytes = metrics.histogram(
    'orb_ingest_body_bytes',
    'Size of bodies as received',
    ['vendor'],
    [1e3, 1e4, 1e5, 1e6, 1e7],
  );
  const skew = metrics.histogram(
    'orb_ingest_clock_skew_seconds',
    'Distance of signed times from ours',
    [],
    [1, 5, 30, 120, 300],
  );
  const errors = metrics.counter('orb_ingest_normalize_errors_total', 'Failures of a normaliser', ['vendor']);
  const replays = metrics.counter('orb_ingest_replays_total', 'Deliveries queued again');
  const usage = metrics.counter('orb_usage_events_total', 'Analytics events', ['vendor']);
  return {
    delivered: (vendor, result) => deliveries.inc({ vendor, result }),
    refused: (vendor, reason) => refusals.inc({ vendor, reason }),
    acknowledged(vendor, seconds, size) {
      ack.observe({ vendor }, seconds);
      bytes.observe({ vendor }, size);
    },
    skewed: (seconds) => skew.observe({}, seconds),
    failed: (vendor) => errors.inc({ vendor }),
    replayed: (count) => replays.inc({}, count),
    used: (vendor, count) => usage.inc({ vendor }, count),
  };
}
