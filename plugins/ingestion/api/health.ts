import { exactly, given, optional } from '../../../kernel/index.ts';
import type { Intake } from '../intake/receive.ts';
import type { DeliveryReads } from '../deliveries/reading.ts';
import type { LiveSource } from '../sources/registry.ts';

/** Schema of a source's health. */
export const sourceHealth = exactly('SourceHealth', {
  status: { enum: ['unused', 'ok', 'stale', 'failing', 'paused'], description: 'Health of the source' },
  last_delivery_at: optional({ type: 'string', description: 'When the last delivery arrived' }),
  silent_for_s: optional({ type: 'integer', description: 'Seconds since then' }),
  queued: { type: 'integer', description: 'Waiting deliveries; counted up to 1000' },
  conflicts: {
    type: 'integer',
    description: 'Deliveries that arrived again with a different body; counted up to 1000',
  },
  dead: { type: 'integer', description: 'Dead letters; counted up to 1000' },
  last_clock_skew_ms: optional({
    type: 'integer',
    description: 'Signed time of the sender minus the time of the server',
  }),
  rejected: {
    ...exactly({
      count: { type: 'integer', description: 'Number of refused requests' },
      recent: {
        type: 'array',
        description: 'The most recent ones',
        items: exactly({
          at: { type: 'string', description: 'When it happened' },
          size: { type: 'integer', description: 'Size in bytes' },
          digest: { type: 'string', description: '`sha256:<hex>`' },
        }),
      },
    }),
    description: 'Requests that failed to authenticate, since the start; their bodies are not kept',
  },
});

/** Reports the health of a source: stale after more silence than its `silent_after_s`. */
export async function healthOf(
  { record }: LiveSource,
  reads: Pick<DeliveryReads, 'activity'>,
  { rejections, clock }: Pick<Intake, 'rejections' | 'clock'>,
): Promise<object> {
  const { source_id, silent_after_s, paused = false } = record;
  const { conflicts, last, dead, queued, newest } = await reads.activity(source_id);
  const silent = last === undefined ? undefined : Math.max(0, Math.floor((clock.now() - Date.parse(last)) / 1000));
  const rejected = rejections.of(source_id);
  const stale = silent_after_s !== undefined && silent !== undefined && silent > silent_after_s;
  const failing = newest?.state === 'dead' || (last === undefined && rejected.count > 0);
  const status = paused ? 'paused' : failing ? 'failing' : last === undefined ? 'unused' : stale ? 'stale' : 'ok';
  return given({
    ...{ status, last_delivery_at: last, silent_for_s: silent, queued, conflicts, dead },
    ...{ last_clock_skew_ms: newest?.clock_skew_ms, rejected },
  });
}
