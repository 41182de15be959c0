import { whenKnown, type Awaitable, type Platform, type PluginScope, type Store } from '../../../kernel/index.ts';
import type { Incidents, IncidentView, Interval, MaintenanceView, Subject } from '../../ingestion/contract.ts';
import { services, worst, type ServiceName, type Status } from '../contract.ts';
import type { MeasuredSpan } from './store.ts';
import { each, measured, platformStatus, type Services, type Span } from './measure.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { platformUptime, uptimeOf, windowAt, type Lanes, type Uptime, type Window } from './uptime.ts';

/** The status of everything at one moment, from memory. */
interface Present {
  readonly status: Status;
  readonly services: Readonly<Record<ServiceName, Status>>;
  /** Unresolved incidents that concern a service. */
  readonly incidents: readonly IncidentView[];
  /** Windows that concern a service and are active now. */
  readonly maintenance: readonly MaintenanceView[];
  /** Windows that concern a service and have not started. */
  readonly planned: readonly MaintenanceView[];
  /** Ms since 1970. */
  readonly at: number;
}

/** The status of everything now and over the last 30 days. */
export interface Snapshot extends Present {
  readonly uptime: Uptime;
  readonly byService: Readonly<Record<ServiceName, Uptime>>;
  /** Start of each service's current status, ms; of one process alone not before its start. */
  readonly since: Readonly<Record<ServiceName, number>>;
  /** First heartbeat ever, ms. */
  readonly observedSince: number;
  /** The spans of the last 30 days from which the uptime was counted. */
  readonly lanes: Lanes;
}

const staleMs = 10_000;

/** Options of a board; `observedSince`: ms since 1970 of the first heartbeat, undefined before it. */
type BoardOptions = Pick<PluginScope<unknown, never>, 'clock' | 'log'> & {
  readonly platform: Pick<Platform, 'components'>;
  readonly store: Pick<Store, 'write'>;
  readonly incidents: Incidents;
  readonly reads: { spansIn(from: number, to: number): Awaitable<readonly MeasuredSpan[]> };
  readonly observedSince: () => number | undefined;
  /** With several nodes: their combined measurements, and whether this node records them. */
  readonly together?: { fold(own: Services): Services; writes(): boolean };
};

/** The board of /status: answers from memory, so it works without the store; the first call measures. */
export class Board {
  readonly #options: BoardOptions;
  readonly #recorder: Recorder;
  /** What this node measures of itself. */
  own: Services = each(() => 'operational');
  /** What holds for all nodes. */
  #own: Services = this.own;
  #current: Snapshot | undefined;
  #known: Past = { measured: [], told: each(() => []) };
  #readable = true;
  #looks = 0;

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#recorder = createRecorder(options);
  }

  snapshot(): Awaitable<Snapshot> {
    return this.#current ?? this.#shown(this.#present());
  }

  /** Measures; reads the past again when something has changed or ten seconds have passed. Never throws. */
  glance(): Awaitable<void> {
    const present = this.#measure();
    const last = this.#current;
    if (last === undefined || present.at - last.at >= staleMs || present.at < last.at || differs(present, last))
      return whenKnown(this.#shown(present), () => undefined);
    return undefined;
  }

  /** Measures and reads the past again. Never throws: values that cannot be read stay unchanged. */
  look(): Awaitable<void> {
    return whenKnown(this.#shown(this.#measure()), () => undefined);
  }

  /** Reads the spans in a window: measured ones, incidents and maintenance. Throws when the store cannot be read. */
  lanes(window: Window): Awaitable<Lanes> {
    return whenKnown(this.#readPast(window), (past) => this.#complete(past));
  }

  #measure(): Present {
    const present = this.#present();
    if (this.#options.together?.writes() !== false) this.#recorder.note(this.#own, present.at);
    return present;
  }

  #present(): Present {
    const { clock, incidents, platform, log, together } = this.#options;
    const at = clock.now();
    try {
      this.own = measured(platform.components());
    } catch (err) {
      // The measured status is unknown, so the engine that measures is reported as down.
      log.warn({ err }, 'the status of a component could not be measured');
      this.own = { ...this.own, observable_engine: 'major_outage' };
    }
    this.#own = together?.fold(this.own) ?? this.own;
    const open = incidents.open().filter(concernsService);
    const windows = incidents.maintenance().filter(concernsService);
    const maintenance = windows.filter(({ starts_at }) => Date.parse(starts_at) <= at);
    const planned = windows.filter((window) => !maintenance.includes(window));
    const found = each((service) => worst([this.#own[service], ...coloursOf(service, open, maintenance)]));
    return { status: platformStatus(found), services: found, incidents: open, maintenance, planned, at };
  }

  // Of two looks whose reads overlap, the one that began later counts.
  #shown(present: Present): Awaitable<Snapshot> {
    const look = ++this.#looks;
    const window = windowAt(present.at);
    return whenKnown(this.#read(window), (lanes) => {
      const snapshot = this.#past(present, lanes, window);
      if (look === this.#looks || this.#current === undefined) this.#current = snapshot;
      return snapshot;
    });
  }

  #past(present: Present, lanes: Lanes, window: Window): Snapshot {
    const { at } = present;
    const last = this.#current;
    const observedSince = this.#options.observedSince() ?? at;
    return {
      ...present,
      uptime: platformUptime(lanes, window, observedSince),
      byService: each((service) => uptimeOf(lanes[service], window, observedSince)),
      since: each((service) => {
        if (this.#options.together !== undefined) return lastTurn(lanes[service], at) ?? observedSince;
        return last !== undefined && last.services[service] === present.services[service] ? last.since[service] : at;
      }),
      observedSince,
      lanes,
    };
  }

  // If the store cannot be read, the last past read stays valid; the current status comes from memory.
  #read(window: Window): Awaitable<Lanes> {
    const known = (past: Past): Lanes => {
      this.#known = past;
      this.#readable = true;
      return this.#complete(past);
    };
    const failed = (err: unknown): Lanes => {
      if (this.#readable) this.#options.log.warn({ err }, 'the status history cannot be read');
      this.#readable = false;
      return this.#complete(this.#known);
    };
    try {
      const past = this.#readPast(window);
      return past instanceof Promise ? past.then(known, failed) : known(past);
    } catch (err) {
      return failed(err);
    }
  }

  #readPast(window: Window): Awaitable<Past> {
    const { reads, incidents } = this.#options;
    return whenKnown(reads.spansIn(window.from, window.to), (measured) =>
      whenKnown(toldOf(incidents, window), (told) => ({ measured, told })),
    );
  }

  #complete({ measured, told }: Past): Lanes {
    const own = this.#recorder.complete(measured);
    return each((service) => [...own[service], ...told[service]]);
  }
}

// All nodes answer the same, whenever they were started.
function lastTurn(spans: readonly Span[], at: number): number | undefined {
  const turns = spans.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to])).filter((turn) => turn <= at);
  return turns.length === 0 ? undefined : Math.max(...turns);
}

/** Stored data of a window. */
interface Past {
  readonly measured: readonly MeasuredSpan[];
  /** Spans from incidents and maintenance. */
  readonly told: Lanes;
}

function differs(one: Present, other: Present): boolean {
  return services.some((service) => one.services[service] !== other.services[service]) || idsOf(one) !== idsOf(other);
}

function idsOf({ incidents, maintenance, planned }: Present): string {
  const open = incidents.map(({ incident_id, updated_at }) => `${incident_id} ${updated_at}`);
  const windows = [maintenance, planned].map((list) => list.map(({ maintenance_id: id }) => id).join());
  return [...open, ...windows].join(';');
}

/**
 * Says whether an incident or a window concerns a service; if it names only Orbs or providers, the platform is not
 * affected.
 */
export function concernsService({ scope }: { readonly scope: readonly Subject[] }): boolean {
  return services.some((service) => names(scope, service));
}

/** The services as subjects of incidents. */
export const serviceSubjects: readonly Subject[] = services.map((id) => ({ kind: 'component', id }));

function names(scope: readonly Subject[], service: ServiceName): boolean {
  return scope.some(({ kind, id }) => kind === 'component' && id === service);
}

function coloursOf(
  service: ServiceName,
  open: readonly IncidentView[],
  maintenance: readonly MaintenanceView[],
): readonly Status[] {
  const impacts = open.filter(({ scope }) => names(scope, service)).map(({ impact }) => impact);
  const planned = maintenance.some(({ scope }) => names(scope, service));
  return [...impacts.filter((impact) => impact !== 'none'), ...(planned ? (['under_maintenance'] as const) : [])];
}

function toldOf(incidents: Incidents, { from, to }: Window): Awaitable<Lanes> {
  const found = incidents.intervals(serviceSubjects, new Date(from).toISOString(), new Date(to).toISOString());
  return whenKnown(found, (all) => each((service) => spansOf(all[services.indexOf(service)] ?? [])));
}

function spansOf(intervals: readonly Interval[]): readonly Span[] {
  return intervals.flatMap((interval): readonly Span[] => {
    const from = Date.parse(interval.from);
    const span = interval.to === undefined ? { from } : { from, to: Date.parse(interval.to) };
    if (interval.kind === 'maintenance') return [{ ...span, status: 'under_maintenance' }];
    return interval.impact === 'none' ? [] : [{ ...span, status: interval.impact }];
  });
}
