import { PlatformError, type Awaitable, type Metrics } from '../../../kernel/index.ts';

type Result = 'accepted' | 'conflict' | 'duplicate' | 'rejected' | 'ignored' | 'dead';
type Refusal = 'authentication' | 'rate' | 'pressure' | 'size';

const reasons: Readonly<Partial<Record<string, Refusal>>> = {
  payload_too_large: 'size',
  overloaded: 'pressure',
  storage_unavailable: 'pressure',
};

/** Metrics of the intake and of the processing after it; all labels have bounded sets of values. */
export type IngestMetrics = ReturnType<typeof ingestMetrics>;

/** Registers the metrics of ingestion. */
export function ingestMetrics(metrics: Metrics) {
  const deliveries = metrics.counter('orb_ingest_deliveries_total', 'Deliveries by result', ['vendor', 'result']);
  const labels = ['vendor', 'reason'];
  const refusals = metrics.counter('orb_ingest_refusals_total', 'Requests answered 401, 413 or 503', labels);
  const ack = metrics.histogram('orb_ingest_ack_duration_seconds', 'Arrival to acknowledgement', ['vendor']);
  const sizes = [1e3, 1e4, 1e5, 1e6, 1e7];
  const bytes = metrics.histogram('orb_ingest_body_bytes', 'Size of bodies as received', ['vendor'], sizes);
  const skews = [1, 5, 30, 120, 300];
  const skew = metrics.histogram('orb_ingest_clock_skew_seconds', 'Distance of signed times from ours', [], skews);
  const errors = metrics.counter('orb_ingest_normalize_errors_total', 'Failures of a normaliser', ['vendor']);
  const replays = metrics.counter('orb_ingest_replays_total', 'Deliveries queued again');
  const usage = metrics.counter('orb_usage_events_total', 'Analytics events', ['vendor']);
  const refused = (vendor: string, reason: Refusal): void => refusals.inc({ vendor, reason });
  return {
    delivered: (vendor: string, result: Result) => deliveries.inc({ vendor, result }),
    refused,
    /** Does a part of the intake, and counts the refusal if it throws 413 or 503. */
    async counted<T>(vendor: string, part: () => Awaitable<T>): Promise<T> {
      try {
        return await part();
      } catch (error) {
        const reason = error instanceof PlatformError ? reasons[error.code] : undefined;
        if (reason !== undefined) refused(vendor, reason);
        throw error;
      }
    },
    acknowledged(vendor: string, seconds: number, size: number): void {
      ack.observe({ vendor }, seconds);
      bytes.observe({ vendor }, size);
    },
    skewed: (seconds: number) => skew.observe({}, seconds),
    failed: (vendor: string) => errors.inc({ vendor }),
    replayed: (count: number) => replays.inc({}, count),
    used: (vendor: string, count: number) => usage.inc({ vendor }, count),
  };
}
