import type { Act } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import type { Episode } from '../../../../../plugins/ingestion/incidents/cluster/episode.ts';
import type { AlertEvent } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import type { SourcePolicy } from '../../../../../plugins/ingestion/sources/settings/schema.ts';

/** The policy of these tests: nothing is held, nothing reopens. */
export const policy: SourcePolicy = {
  ...{ default_severity: 'high', min_severity: 'warning', auto_resolve: 'all' },
  ...{ for_s: 0, hold_s: 0, reopen_window_s: 0 },
};

/** An event of an alert; `at` in seconds. */
export const event = (at: number, more: Partial<AlertEvent> = {}, own: Partial<SourcePolicy> = {}): AlertEvent => ({
  ...{ event_id: `sig_${at}`, fingerprint: 'f', key: 'scope:k', occurred_ms: at * 1000, delivery_key: 'k', ordinal: 0 },
  ...{
    state: 'firing',
    severity: 'high',
    eligible: true,
    scope: [],
    rule: 'binding',
    vendor: 'generic',
    title: `at ${at}`,
  },
  policy: { ...policy, ...own },
  delivery: { delivery_id: `dlv_${at}`, source_id: 'src_1', digest: 'sha256:x', auth_strength: 'strong' },
  ...more,
});

/** A person's decision; `at` in seconds. */
export const act = (kind: Act['kind'], at: number, more: Partial<Act> = {}): Act => ({
  ...{ act_id: `act_${at}`, incident_id: 'inc_1', kind, at_ms: at * 1000, principal: 'prn_1', ...more },
});

/** An episode from one second to another, or still open. */
export function episode(
  from: number,
  to?: number,
  more: Partial<Episode> = {},
  own: Partial<SourcePolicy> = {},
): Episode {
  const first = event(from, { fingerprint: more.fingerprint ?? 'f' }, own);
  return {
    ...{ fingerprint: 'f', key: 'scope:k', scope: [], policy: first.policy, starts_ms: from * 1000 },
    ...(to === undefined ? {} : { ends_ms: to * 1000, ending: 'recovered' as const }),
    ...{ severities: [{ from_ms: from * 1000, severity: 'high' as const }], peak: 'high', events: [first] },
    ...more,
  };
}
