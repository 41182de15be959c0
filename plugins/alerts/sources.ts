import type { Awaitable, Clock } from '../../kernel/index.ts';
import type { Incidents, IncidentView } from '../ingestion/contract.ts';
import type { Concern, ConcernItem, Runtime } from '../runtime/contract.ts';
import type { Cause } from './causes.ts';
import { expiresSoon } from './certificates.ts';
import type { AlertEvent } from './store.ts';

/** What is told of a thing: its texts may be of others. */
export type Told = Omit<AlertEvent, 'cause' | 'providers'> & Partial<Pick<AlertEvent, 'providers'>>;

/** One thing that is so now; another state of it is told again. */
export interface Open {
  readonly id: string;
  readonly state: string;
  readonly told: () => Awaitable<Told>;
}

/** Things that alerts are about: they begin, and may end. */
export interface Source {
  readonly name: string;
  readonly opened: Cause;
  readonly closed?: Cause;
  /** Each node finds its own; otherwise one node looks for all. */
  readonly eachNode?: true;
  /** What is there at the very first look began before, and is not told. */
  readonly hasPast?: true;
  /** Lists what is so now; not `whole`: there is more. */
  look(): Awaitable<{ readonly open: readonly Open[]; readonly whole: boolean }>;
  /** Finds what to tell of one that is not listed any more; `unknown`: it may still be so. Undefined: nothing. */
  ended?(id: string): Awaitable<Told | 'unknown' | undefined>;
}

/** How the items of a concern are told; undefined: they are not, yet. */
interface Reading extends Omit<Source, 'look'> {
  read(item: ConcernItem): (Partial<Told> & Pick<Told, 'detail'> & Partial<Pick<Open, 'state'>>) | undefined;
}

/** What the sources need. */
export interface SourcesScope {
  readonly runtime: Pick<Runtime, 'concerns' | 'providers'>;
  readonly incidents: Incidents | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** The concern of the certificate of the public address. */
  readonly certificate: Concern;
}

/** Lists the sources of the plugins that are there. */
export function sourcesOf({ runtime, incidents, clock, certificate }: SourcesScope): readonly Source[] {
  const expiring = (what: (item: ConcernItem) => string) => (item: ConcernItem) => {
    const state = expiresSoon(Date.parse(item.at ?? ''), clock.now());
    return state && { state, detail: `${what(item)} expires at ${item.at}` };
  };
  const readings: Readonly<Record<string, Reading>> = {
    providers_down: providerReading(runtime),
    expiring_keys: {
      name: 'keys',
      opened: 'key_expiring',
      read: expiring(({ id, title }) => `The API key ${title} (${id})`),
    },
    [certificate.name]: {
      name: 'certificates',
      opened: 'certificate_expiring',
      read: expiring(({ id }) => `The TLS certificate of ${id}`),
    },
    faulty_policy: {
      name: 'policies',
      opened: 'policy_faulty',
      read: ({ id, title }) => ({ title: id, path: '/policies', detail: title }),
    },
    open_approvals: {
      name: 'approvals',
      opened: 'approval_waiting',
      hasPast: true,
      // Approvals of one Orb are told together.
      read: ({ id, title, at }) => ({
        subject: title,
        detail: `A run of ${title} waits for an approval since ${at} (${id})`,
      }),
    },
  };
  const listed = [...runtime.concerns(), certificate].flatMap((concern) => {
    const reading = readings[concern.name];
    return reading === undefined ? [] : [sourceOf(concern, reading)];
  });
  return [...(incidents === undefined ? [] : [incidentSource(incidents)]), ...listed];
}

function sourceOf(concern: Concern, { read, ...source }: Reading): Source {
  const openOf = (item: ConcernItem): readonly Open[] => {
    const { id, title, link = concern.link } = item;
    const found = read(item);
    if (found === undefined) return [];
    const { state = 'open', ...told } = found;
    return [{ id, state, told: () => ({ subject: id, title, path: link, ...told }) }];
  };
  return {
    ...source,
    async look() {
      const { newest, more } = await concern.find(undefined);
      return { open: newest.flatMap(openOf), whole: more !== true };
    },
  };
}

function providerReading(runtime: SourcesScope['runtime']): Reading {
  return {
    name: 'providers',
    opened: 'provider_down',
    closed: 'provider_recovered',
    eachNode: true,
    read: ({ id, reason = 'the log says why' }) => ({
      ...{ title: id, providers: [id], detail: `Provider ${id} is down: ${reason}` },
    }),
    ended(id) {
      const view = runtime.providers().find(({ name }) => name === id);
      // After a start its health is unknown until it is measured; at another node it may be up again.
      if (view?.health === 'unknown' || view?.health === 'down') return 'unknown';
      const detail = `Provider ${id} has recovered: it is ${view?.health}`;
      return view && { subject: id, title: id, path: `/providers?provider=${id}`, providers: [id], detail };
    },
  };
}

function incidentSource(incidents: Incidents): Source {
  const told = async (incident: IncidentView, what: string): Promise<Told> => {
    const { incident_id, kind, scope, severity, starts_at } = incident;
    const affected = scope.map((one) => `${one.kind} ${one.id}`).join(', ');
    const title = (await incidents.titleOf(incident_id)) || kind;
    return {
      // Incidents of one subject are told together.
      ...{ subject: affected || incident_id, title, path: `/incidents/${incident_id}` },
      detail: `Incident ${what}: ${title} (${severity}${affected && `, affects ${affected}`}, since ${starts_at})`,
      providers: scope.flatMap((one) => (one.kind === 'provider' ? [one.id] : [])),
    };
  };
  const openOf = (incident: IncidentView): Open => ({
    ...{ id: incident.incident_id, state: 'open', told: () => told(incident, 'opened') },
  });
  return {
    name: 'incidents',
    opened: 'incident_opened',
    closed: 'incident_closed',
    hasPast: true,
    look: () => ({ open: incidents.open().map(openOf), whole: true }),
    async ended(id) {
      const incident = await incidents.find(id);
      if (incident?.retracted === true) return told(incident, 'withdrawn');
      return incident?.state === 'resolved' ? told(incident, 'closed') : incident && 'unknown';
    },
  };
}
