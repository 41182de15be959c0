import type { Clock } from '../../tools/clock.ts';
import type { Hooks } from '../../hooks.ts';
import type { Ids } from '../../tools/id.ts';
import type { ServerLog } from '../../tools/log.ts';
import type { Metrics } from '../../tools/metrics.ts';
import type { ProblemTable } from '../../problem-table.ts';
import type { CertificateSource } from '../connection/certificate.ts';
import { createProxies, type Proxies } from '../connection/address.ts';
import { createCoder } from '../route/coding.ts';
import { defaultLimits, type ConnectionLimits } from '../connection/connections.ts';
import { createConnections, type Connections } from '../connection/connections.ts';
import { BodyRoom } from '../body/body-room.ts';
import { LargeBodies } from '../body/large-bodies.ts';
import { HeldAnswers } from '../connection/held-answers.ts';
import { createBucket, type Bucket } from '../connection/limits.ts';
import { createPace, type Pace } from '../connection/pace.ts';
import type { Route, ServiceName } from '../route/route.ts';
import { createTallies, type Tallies } from '../connection/tally.ts';

/** One address to listen at. */
export interface ListenOptions {
  /** `host:port` or `[v6]:port`; port 0 takes a free one. */
  readonly address: string;
  /** Services served there; `shared` always is. */
  readonly services: readonly Exclude<ServiceName, 'shared'>[];
  /** Base of links to its services, without a slash at the end. */
  readonly publicUrl?: string;
  readonly tls?: CertificateSource;
}

/** The options of the HTTP side. */
export interface HttpOptions {
  /** Routes of all services, without the one that explains problems, which is added. */
  readonly routes: readonly Route[];
  readonly problems: ProblemTable;
  readonly listen: readonly ListenOptions[];
  /** CIDRs of the proxies whose X-Forwarded-… headers are trusted. */
  readonly trustProxy: readonly string[];
  /** If absent, they are derived from the number of descriptors that the process may open. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Accepts keys over plain HTTP from other machines. */
  readonly insecureHttp: boolean;
  /** Base of links, without a slash at the end. */
  readonly publicUrl: string;
  readonly hooks: Pick<Hooks, 'authenticate' | 'explainCredential' | 'present'>;
  readonly metrics: Metrics;
  readonly log: ServerLog;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Version of the program, semver. */
  readonly version: string;
  /** Called with each successful answer before it is sent; a throw makes it a 500. For tests. */
  readonly checkResponse?: (route: Route, status: number, value: unknown) => void;
}

/** The parts that all listeners share. */
export interface Site {
  readonly options: HttpOptions;
  readonly proxies: Proxies;
  /** The bucket of a public route. */
  readonly bucketOf: (route: Route) => Bucket;
  readonly failedBucket: Bucket;
  /** Decides when refusals are answered. */
  readonly refusals: Pace;
  /** Compresses an answer when the client asks for it. */
  readonly encode: ReturnType<typeof createCoder>;
  readonly tallies: Tallies;
  readonly traffic: Traffic;
  readonly connections: Connections;
  readonly held: HeldAnswers;
  /** Parses large bodies. */
  readonly bodies: LargeBodies;
  /** Bounds the bodies that are being read. */
  readonly bodyRoom: BodyRoom;
  /** Requests under way of each principal. */
  readonly callers: Callers;
  /** Aborted once, when the shutdown begins. */
  readonly drain: AbortController;
  /** Set once, when the shutdown begins. */
  draining: boolean;
}

/** Creates the parts that all listeners share. Throws a ConfigError when `trustProxy` is faulty. */
export function createSite(options: HttpOptions): Site {
  const proxies = createProxies(options.trustProxy);
  const limits = { ...defaultLimits(), ...options.connections };
  return {
    options,
    proxies,
    bucketOf: createBuckets(),
    failedBucket: createBucket('failed-authentication', 60, 60),
    refusals: createPace(options.clock),
    encode: createCoder(),
    tallies: createTallies(options.metrics),
    traffic: new Traffic(),
    connections: createConnections({
      ...{ limits, proxies, metrics: options.metrics },
      secureUrl: options.publicUrl.startsWith('https:'),
    }),
    held: new HeldAnswers(limits.held, options.metrics),
    bodies: new LargeBodies({ clock: options.clock }),
    bodyRoom: new BodyRoom(),
    callers: new Callers(limits.per_caller),
    drain: new AbortController(),
    draining: false,
  };
}

// Routes whose buckets have the same name share it.
function createBuckets(): Site['bucketOf'] {
  const named = new Map<string, Bucket>();
  const open = createBucket('public', 50, 1);
  return ({ bucket }) => {
    if (bucket === undefined) return open;
    const known = named.get(bucket.name) ?? createBucket(bucket.name, bucket.per_second, 1);
    named.set(bucket.name, known);
    return known;
  };
}

/** Counts the requests under way of each principal, so that none of them takes all connections. */
export class Callers {
  readonly #most: number;
  readonly #underWay = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request as begun; false: the principal has too many, and it is not counted. */
  enter(id: string): boolean {
    const count = this.#underWay.get(id) ?? 0;
    if (count >= this.#most) return false;
    this.#underWay.set(id, count + 1);
    return true;
  }

  leave(id: string): void {
    const count = this.#underWay.get(id) ?? 0;
    if (count > 1) this.#underWay.set(id, count - 1);
    else this.#underWay.delete(id);
  }
}

/** Counts the requests in work and the answers that are not flushed yet. */
export class Traffic {
  #working = 0;
  #open = 0;
  #waiting: (() => void) | undefined;

  /** Counts a request as begun; `left` and `closed` count its two ends. */
  enter(): void {
    this.#working += 1;
    this.#open += 1;
  }

  /** Notes that the handler is done, whether or not the client waited. */
  left(): void {
    this.#working -= 1;
    this.#settle();
  }

  /** Notes that the answer is flushed, or the client has gone. */
  closed(): void {
    this.#open -= 1;
    this.#settle();
  }

  inFlight(): number {
    return Math.max(this.#working, this.#open);
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    if (this.inFlight() === 0) return;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
    });
  }

  #settle(): void {
    if (this.#waiting !== undefined && this.inFlight() === 0) this.#waiting();
  }
}
