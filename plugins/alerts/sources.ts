import type { Awaitable, Clock } from '../../kernel/index.ts';
import type { Incidents, IncidentView } from '../ingestion/contract.ts';
import type { Concern, ConcernItem, Runtime } from '../runtime/contract.ts';
import type { Cause } from './causes.ts';
import { expiresSoon, type CertificateReader } from './certificates.ts';
import type { AlertEvent, Told } from './store.ts';

/** What is told of a thing: its texts may be of others. */
export type Happened = Pick<AlertEvent, 'subject'> & Omit<Told, 'providers'> & Partial<Pick<Told, 'providers'>>;

/** One thing that is so now; another state of it is told again. */
export interface Open {
  readonly id: string;
  readonly state: string;
  readonly told: () => Awaitable<Happened>;
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
  ended?(id: string): Awaitable<Happened | 'unknown' | undefined>;
}

/** What the sources need. */
export interface SourcesScope {
  readonly runtime: Pick<Runtime, 'concerns' | 'providers'>;
  readonly incidents: Incidents | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly certificates: CertificateReader;
}

/** Lists the sources of the plugins that are there. */
export function sourcesOf({ runtime, incidents, clock, certificates }: SourcesScope): readonly Source[] {
  const concerns = new Map(runtime.concerns().map((concern) => [concern.name, concern]));
  const of = (name: string, make: (concern: Concern) => Source): readonly Source[] => {
    const concern = concerns.get(name);
    return concern === undefined ? [] : [make(concern)];
  };
  return [
    ...(incidents === undefined ? [] : [incidentSource(incidents)]),
    ...of('providers_down', (concern) => providerSource(runtime, concern)),
    ...of('expiring_keys', (concern) => keySource(concern, clock)),
    ...of('faulty_policy', policySource),
    ...of('open_approvals', approvalSource),
    certificateSource(certificates, clock),
  ];
}

function incidentSource(incidents: Incidents): Source {
  const told = async (incident: IncidentView, what: string): Promise<Happened> => {
    const { incident_id, kind, scope, severity, starts_at } = incident;
    const affected = scope.map((one) => `${one.kind} ${one.id}`).join(', ');
    const title = (await incidents.titleOf(incident_id)) || kind;
    return {
      // Incidents of one subject are told together.
      subject: affected || incident_id,
      ...{ title, path: `/incidents/${incident_id}` },
      detail: `Incident ${what}: ${title} (${severity}${affected && `, affects ${affected}`}, since ${starts_at})`,
      providers: scope.flatMap((one) => (one.kind === 'provider' ? [one.id] : [])),
    };
  };
  return {
    name: 'incidents',
    opened: 'incident_opened',
    closed: 'incident_closed',
    hasPast: true,
    look: () => {
      const open = incidents.open().map((incident) => {
        return { id: incident.incident_id, state: 'open', told: () => told(incident, 'opened') };
      });
      return { open, whole: true };
    },
    async ended(id) {
      const incident = await incidents.find(id);
      if (incident === undefined) return undefined;
      if (incident.retracted) return told(incident, 'withdrawn');
      return incident.state === 'resolved' ? told(incident, 'closed') : 'unknown';
    },
  };
}

function providerSource(runtime: SourcesScope['runtime'], concern: Concern): Source {
  const told = (name: string, what: string): Happened => ({
    ...{ subject: name, title: name, path: `/providers?provider=${name}`, providers: [name] },
    detail: `Provider ${name} ${what}`,
  });
  return {
    name: 'providers',
    opened: 'provider_down',
    closed: 'provider_recovered',
    eachNode: true,
    async look() {
      const { newest, more } = await concern.find(undefined);
      const open = newest.map(({ id, reason }) => {
        return { id, state: 'down', told: () => told(id, `is down${reason === undefined ? '' : `: ${reason}`}`) };
      });
      return { open, whole: more !== true };
    },
    ended(id) {
      const view = runtime.providers().find(({ name }) => name === id);
      // After a start its health is unknown until it is measured; at another node it may be up again.
      if (view?.health === 'unknown' || view?.health === 'down') return 'unknown';
      return view && told(id, `has recovered: it is ${view.health}`);
    },
  };
}

function keySource(concern: Concern, clock: Pick<Clock, 'now'>): Source {
  return {
    name: 'keys',
    opened: 'key_expiring',
    look: () =>
      listed(concern, ({ id, title, at = '' }) => {
        const soon = expiresSoon(Date.parse(at), clock.now());
        return soon && { state: soon, subject: id, title, detail: `The API key ${title} (${id}) expires at ${at}` };
      }),
  };
}

function policySource(concern: Concern): Source {
  return {
    name: 'policies',
    opened: 'policy_faulty',
    look: () => listed(concern, ({ id, title }) => ({ state: 'faulty', subject: id, title: id, detail: title })),
  };
}

function approvalSource(concern: Concern): Source {
  return {
    name: 'approvals',
    opened: 'approval_waiting',
    hasPast: true,
    look: () =>
      listed(concern, ({ id, title, at = '' }) => {
        const detail = `A run of ${title} waits for an approval since ${at} (${id})`;
        // Approvals of one Orb are told together.
        return { state: 'open', subject: title, title, detail };
      }),
  };
}

function certificateSource(certificates: CertificateReader, clock: Pick<Clock, 'now'>): Source {
  return {
    name: 'certificates',
    opened: 'certificate_expiring',
    async look() {
      const read = await certificates();
      const open = read.flatMap(({ host, ends_at }): readonly Open[] => {
        const soon = ends_at === undefined ? undefined : expiresSoon(ends_at, clock.now());
        if (ends_at === undefined || soon === undefined) return [];
        const detail = `The TLS certificate of ${host} expires at ${new Date(ends_at).toISOString()}`;
        return [{ id: host, state: soon, told: () => ({ subject: host, title: host, detail, path: '' }) }];
      });
      return { open, whole: read.every(({ ends_at }) => ends_at !== undefined) };
    },
  };
}

type Item = Omit<Happened, 'path'> & Pick<Open, 'state'>;

/** Lists the items of a concern. */
async function listed(concern: Concern, read: (item: ConcernItem) => Item | undefined) {
  const { newest, more } = await concern.find(undefined);
  const open = newest.flatMap((item): readonly Open[] => {
    const found = read(item);
    if (found === undefined) return [];
    const { state, ...told } = found;
    return [{ id: item.id, state, told: () => ({ ...told, path: pathOf(item.link ?? concern.link) }) }];
  });
  return { open, whole: more !== true };
}

// The screens of the console have the paths of the routes, except for the state of the policies.
function pathOf(link: string): string {
  return link.startsWith('/policies/-/') ? '/policies' : link;
}
