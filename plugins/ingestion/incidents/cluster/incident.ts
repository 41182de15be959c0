import { given } from '../../../../kernel/index.ts';
import { impactOf, type Impact, type IncidentSeverity, type IncidentView } from '../../contract.ts';
import { closingOf, type Cluster, type Span } from './cluster.ts';
import type { Act, Ending } from '../model/record.ts';
import type { Episode } from './episode.ts';
import type { AlertEvent, DeliveryRef } from '../model/event.ts';
import { severityOf, worst } from '../model/severity.ts';
import { impacts, incidentSeverities, type IncidentFact } from '../../fact.ts';

type IncidentKind = IncidentView['kind'];

/** A period of an incident at one severity, half-open. */
interface StretchMs extends Span {
  readonly severity: IncidentSeverity;
  /** Absent where it follows from the severity. */
  readonly impact?: Impact;
}

/** How bad an alert is, and what that means for the public. */
interface Level {
  readonly severity: IncidentSeverity;
  readonly impact: Impact;
}

type Seen = 'kind' | 'state' | 'phase' | 'severity' | 'scope' | 'corroborated' | 'flapping';

/** The incident that its signals and people's decisions produce at one moment. Times in ms. */
export interface Desired
  extends Pick<IncidentView, Seen>, Pick<IncidentFact['facts'], 'principal' | 'reason' | 'receipt_id'> {
  readonly starts_ms: number;
  readonly ends_ms?: number;
  readonly ending?: Ending;
  readonly acknowledged_ms?: number;
  readonly retraction?: Act;
  /** Deliveries that determined its state: openings, worse severities, acknowledgements, ends. */
  readonly deliveries: readonly DeliveryRef[];
  readonly stretches: readonly StretchMs[];
  readonly reopened: number;
  readonly title: string;
  readonly events: readonly AlertEvent[];
  /** Next time at which it may change without an event. */
  readonly due_ms?: number;
}

/** Derives the incident of a cluster at a moment; `acks`: acknowledgements of this incident by persons. */
export function incidentOf(cluster: Cluster, nowMs: number, acks: readonly Act[]): Desired {
  const { episodes, spans, act, flapping, reopened } = cluster;
  const [first] = episodes;
  const opener = first?.events[0];
  if (first === undefined || opener === undefined) throw new TypeError('a cluster has an episode');
  const kind = kindOf(first);
  const { receipt_id } = opener;
  const state = stateOf(cluster, nowMs, acks, opener);
  return {
    kind,
    severity: worst(episodes.map(({ peak }) => peak)),
    scope: first.scope,
    starts_ms: first.starts_ms,
    ...state,
    ...(receipt_id === undefined ? {} : { reason: 'integrity', receipt_id }),
    ...(act?.kind === 'retracted' ? { retraction: act } : {}),
    deliveries: deliveriesOf(episodes, kind, state.state === 'resolved'),
    stretches: stretchesOf(episodes, spans),
    corroborated: kind === 'alerts' && sourcesOf(episodes).size >= 2,
    flapping,
    reopened,
    title: opener.title,
    events: episodes.flatMap(({ events }) => events),
  };
}

function kindOf({ key }: Episode): IncidentKind {
  if (key.startsWith('scope:')) return 'alerts';
  if (key.startsWith('weak:')) return 'weak';
  if (key.startsWith('measured:')) return 'measured';
  return key.startsWith('receipt:') || key.startsWith('lost:') ? 'integrity' : 'operator';
}

function stateOf(cluster: Cluster, nowMs: number, acks: readonly Act[], opener: AlertEvent) {
  const closes = closingOf(cluster);
  const { episodes, spans, act } = cluster;
  const last = spans.at(-1);
  if (closes !== undefined && closes <= nowMs && last?.to_ms !== undefined) {
    const ends = episodes.filter(({ ends_ms }) => ends_ms === last.to_ms);
    const ending: Ending =
      ends.find((episode) => episode.ending === 'manual')?.ending ?? ends[0]?.ending ?? 'recovered';
    const word = ending === 'manual' ? given({ principal: act?.principal, reason: act?.reason }) : {};
    return { state: 'resolved', phase: 'resolved', ends_ms: last.to_ms, ending, ...word } as const;
  }
  const ack = acks.findLast(({ at_ms }) => spans.length === 1 || at_ms >= (last?.from_ms ?? 0));
  const active = episodes.filter(({ ends_ms }) => ends_ms === undefined);
  const acknowledged_ms = ack?.at_ms ?? active.find((one) => one.acknowledged_ms !== undefined)?.acknowledged_ms;
  const isTaken = acknowledged_ms !== undefined;
  return given({
    state: isTaken ? ('acknowledged' as const) : ('open' as const),
    phase:
      closes !== undefined ? ('monitoring' as const) : isTaken ? ('identified' as const) : ('investigating' as const),
    acknowledged_ms,
    principal: ack?.principal ?? (isTaken ? undefined : opener.principal),
    due_ms: closes,
  });
}

function sourcesOf(episodes: readonly Episode[]): ReadonlySet<string> {
  return new Set(episodes.flatMap(({ events }) => events.map(({ delivery }) => delivery?.source_id ?? '')));
}

// Lists, per alert, the deliveries that opened it, made it worse, acknowledged it or (once the incident is over) ended
// it, and one of each strength. So the union of all lists shows the same sources and strengths in any order of arrival.
function deliveriesOf(episodes: readonly Episode[], kind: IncidentKind, over: boolean): readonly DeliveryRef[] {
  const listed = new Map<string, DeliveryRef>();
  for (const { events, ends_ms } of episodes) {
    const strengths = new Set<string>();
    let peak = worst([]);
    let acknowledged: boolean = false;
    for (const { delivery, state, severity, eligible, occurred_ms } of events) {
      if (delivery === undefined || eligible === (kind === 'weak') || occurred_ms > (ends_ms ?? Infinity)) continue;
      const now = state === 'firing' ? worst([peak, severityOf(severity)]) : peak;
      const takesUp: boolean = state === 'acknowledged' && !acknowledged;
      const ends = over && (state === 'resolved' || state === 'suppressed') && occurred_ms === ends_ms;
      const tells = now !== peak || takesUp || ends || !strengths.has(delivery.auth_strength);
      if (tells) listed.set(delivery.delivery_id, delivery);
      strengths.add(delivery.auth_strength);
      acknowledged ||= takesUp;
      peak = now;
    }
  }
  return [...listed.values()];
}

// Splits the active time of episodes into periods of one level: the worst of the active episodes.
function stretchesOf(episodes: readonly Episode[], spans: readonly Span[]): readonly StretchMs[] {
  const changes = changesOf(episodes);
  const stretches: StretchMs[] = [];
  const active = new Tally();
  let next = 0;
  for (const { from_ms, to_ms = Infinity } of spans) {
    let level: Level | undefined;
    for (let at = from_ms; at < to_ms;) {
      for (; (changes[next]?.at_ms ?? Infinity) <= at; next++) active.set(changes[next]);
      // In a gap that the hold time bridges, the level stays as it was.
      const now: Level = active.worst() ?? level ?? { severity: 'info', impact: 'none' };
      const until = Math.min(to_ms, changes[next]?.at_ms ?? Infinity);
      const last = stretches.at(-1);
      const goesOn = level?.severity === now.severity && level.impact === now.impact && last !== undefined;
      if (goesOn) stretches[stretches.length - 1] = stretch(last.from_ms, until, now);
      else stretches.push(stretch(at, until, now));
      level = now;
      at = until;
    }
  }
  return stretches;
}

interface LevelChange {
  readonly at_ms: number;
  /** Position of the episode. */
  readonly index: number;
  /** Absent: it ends. */
  readonly level?: Level;
}

function changesOf(episodes: readonly Episode[]): readonly LevelChange[] {
  const changes = episodes.flatMap((episode, index): readonly LevelChange[] => [
    ...episode.severities.map(({ from_ms, severity }) => ({
      at_ms: Math.max(from_ms, episode.starts_ms),
      index,
      level: levelOf(episode, severity),
    })),
    ...(episode.ends_ms === undefined ? [] : [{ at_ms: episode.ends_ms, index }]),
  ]);
  return changes.sort((a, b) => a.at_ms - b.at_ms);
}

// The table of a source defines the public status of services; the health of a provider follows from severities.
function levelOf({ policy, scope }: Episode, severity: IncidentSeverity): Level {
  const isPublic = scope.some(({ kind }) => kind === 'component');
  return { severity, impact: impactOf(severity, isPublic ? policy.impacts : {}) };
}

function stretch(from_ms: number, to_ms: number, { severity, impact }: Level): StretchMs {
  const own = impact === impactOf(severity) ? {} : { impact };
  return { from_ms, ...(to_ms === Infinity ? {} : { to_ms }), severity, ...own };
}

/** Counts the active episodes per severity and impact. */
class Tally {
  readonly #of = new Map<number, Level>();
  readonly #severities = { critical: 0, high: 0, warning: 0, info: 0 };
  readonly #impacts = { major_outage: 0, partial_outage: 0, degraded_performance: 0, none: 0 };

  set(change: LevelChange | undefined): void {
    if (change === undefined) return;
    this.#count(this.#of.get(change.index), -1);
    if (change.level === undefined) this.#of.delete(change.index);
    else this.#of.set(change.index, change.level);
    this.#count(change.level, 1);
  }

  worst(): Level | undefined {
    const severity = incidentSeverities.find((one) => this.#severities[one] > 0);
    const impact = impacts.find((one) => this.#impacts[one] > 0);
    return severity === undefined || impact === undefined ? undefined : { severity, impact };
  }

  #count(level: Level | undefined, by: number): void {
    if (level === undefined) return;
    this.#severities[level.severity] += by;
    this.#impacts[level.impact] += by;
  }
}
