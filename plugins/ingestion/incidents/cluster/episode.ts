import { given } from '../../../../kernel/index.ts';
import type { IncidentSeverity } from '../../contract.ts';
import { inOrder, type AlertEvent } from '../model/event.ts';
import type { Act, Ending } from '../model/record.ts';
import { isAtLeast, severityOf, worst } from '../model/severity.ts';

/** One firing of one alert, from its first firing event to its end. Times in ms. */
export interface Episode extends Pick<AlertEvent, 'fingerprint' | 'key' | 'scope' | 'policy'> {
  readonly starts_ms: number;
  /** Absent: still open. */
  readonly ends_ms?: number;
  readonly ending?: Ending;
  /** Severity from each time on; the first entry starts at `starts_ms`. */
  readonly severities: readonly { readonly from_ms: number; readonly severity: IncidentSeverity }[];
  readonly peak: IncidentSeverity;
  /** Time of acknowledgement by the vendor's users, unless it fired again since. */
  readonly acknowledged_ms?: number;
  /** All events of the episode, in order; the first one opened it. */
  readonly events: readonly AlertEvent[];
  /** The resolution or retraction by a person. */
  readonly act?: Act;
  /** Next time at which it may change without an event. */
  readonly due_ms?: number;
}

/** Input of the fold of an alert besides its events. */
type FoldOptions = { readonly now_ms: number; readonly act: (actId: string) => Act | undefined };

/**
 * Folds the events of one alert into its episodes, oldest first; the order of arrival has no effect. Weak events form
 * separate episodes, which a resolution from an eligible event also ends; other episodes are folded from eligible
 * events only.
 */
export function episodesOf(events: readonly AlertEvent[], options: FoldOptions): readonly Episode[] {
  const sorted = [...events].sort(inOrder);
  const sure = sorted.filter(({ eligible }) => eligible);
  const weak = sorted.filter(({ eligible, state }) => !eligible || state !== 'firing');
  return [...boutsOf(sure, options), ...boutsOf(weak, options)].map((bout) => episodeOf(bout, options));
}

interface Bout {
  readonly events: AlertEvent[];
  /** When its deliveries were last seen. */
  seen_ms?: number;
  ends_ms?: number;
  ending?: Ending;
}

function boutsOf(events: readonly AlertEvent[], { now_ms, act }: FoldOptions): readonly Bout[] {
  const bouts: Bout[] = [];
  let open: Bout | undefined;
  const end = (ends_ms: number, ending: Ending): void => {
    Object.assign(open ?? {}, { ends_ms, ending });
    open = undefined;
  };
  for (const event of events) {
    const expires = open && expiryOf(open);
    if (expires !== undefined && event.occurred_ms > expires) end(expires, 'expired');
    if (open === undefined && opens(event)) bouts.push((open = { events: [] }));
    if (open === undefined) continue;
    open.events.push(event);
    if (event.seen_ms !== undefined) open.seen_ms = Math.max(event.seen_ms, open.seen_ms ?? event.seen_ms);
    if (event.state !== 'resolved' && event.state !== 'suppressed') continue;
    if (endsByPersonAlone(open) && !isDecided(open, event, act)) continue;
    end(event.occurred_ms, event.state === 'resolved' ? 'recovered' : 'suppressed');
  }
  const expires = open && expiryOf(open);
  if (expires !== undefined && now_ms >= expires) end(expires, 'expired');
  return bouts;
}

function opens({ state, severity, policy, key }: AlertEvent): boolean {
  return state === 'firing' && key !== '' && isAtLeast(severity, policy.min_severity);
}

function endsByPersonAlone({ events }: Bout): boolean {
  return events[0]?.policy.auto_resolve === 'never';
}

// After a person's decision the vendor may end the episode; otherwise the alert could never open anything again.
function isDecided({ events }: Bout, { occurred_ms }: AlertEvent, act: FoldOptions['act']): boolean {
  const decided = latestAct(events, act);
  return decided !== undefined && decided.at_ms < occurred_ms;
}

// An alert expires when it does not fire again for some time, or when no delivery is seen that says what it said.
function expiryOf(bout: Bout): number | undefined {
  const last = endsByPersonAlone(bout) ? undefined : bout.events.findLast(({ state }) => state === 'firing');
  if (last === undefined) return undefined;
  const { occurred_ms, policy } = last;
  const after = (ms: number | undefined, seconds: number | undefined): number | undefined =>
    ms === undefined || seconds === undefined ? undefined : Math.max(ms, occurred_ms) + seconds * 1000;
  return earliest(after(occurred_ms, policy.ttl_s), after(bout.seen_ms, policy.stale_after_s));
}

function earliest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function episodeOf(bout: Bout, { act: actOf }: FoldOptions): Episode {
  const [first, ...rest] = bout.events;
  if (first === undefined) throw new TypeError('an episode has an event');
  const act = latestAct(bout.events, actOf);
  const clip = act?.kind === 'resolved' ? act.at_ms : Infinity;
  const manual = (bout.ends_ms ?? Infinity) > clip;
  const ends_ms = manual ? clip : bout.ends_ms;
  // Events after a person closed the episode do not describe it.
  const events = [first, ...rest.filter(({ occurred_ms }) => occurred_ms <= clip)];
  const firing = events.filter(({ state }) => state === 'firing');
  const acknowledged = events.findLast(({ state }) => state === 'firing' || state === 'acknowledged');
  const due_ms = ends_ms === undefined ? expiryOf(bout) : undefined;
  const { fingerprint, key, scope, policy } = first;
  return given({
    ...{ fingerprint, key, scope, policy, act, ends_ms, due_ms },
    starts_ms: first.occurred_ms,
    ending: ends_ms === undefined ? undefined : manual ? ('manual' as const) : (bout.ending ?? 'recovered'),
    severities: firing.map(({ occurred_ms, severity }) => ({ from_ms: occurred_ms, severity: severityOf(severity) })),
    peak: worst(firing.map(({ severity }) => severityOf(severity))),
    acknowledged_ms: acknowledged?.state === 'acknowledged' ? acknowledged.occurred_ms : undefined,
    events: bout.events,
  });
}

function latestAct(events: readonly AlertEvent[], actOf: FoldOptions['act']): Act | undefined {
  const acts = events.map(({ act_id }) => (act_id === undefined ? undefined : actOf(act_id)));
  const known = acts.filter((act) => act !== undefined);
  return known.find(({ kind }) => kind === 'retracted') ?? known[0];
}
