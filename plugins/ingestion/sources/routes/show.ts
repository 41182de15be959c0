import type { LiveSource } from '../registry.ts';
import { authOf } from '../source.ts';
import type { SourceReads } from '../store.ts';

/** Shows a source, defaults filled, its secrets by number alone. */
export function showSource({ record, view, created_at, updated_at }: LiveSource, reads: SourceReads): object {
  const { paused = false, ...rest } = record;
  return {
    ...rest,
    auth: authOf(record),
    may_name: view.subjects.may_name,
    policy: view.policy,
    paused,
    created_at,
    updated_at,
    secrets: reads.secretsOf(record.source_id).map(({ sealed: _, source_id: __, ...secret }) => secret),
  };
}
