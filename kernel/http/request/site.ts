import type { Clock } from '../../tools/clock.ts';
import { PlatformError } from '../../error.ts';
import type { Hooks } from '../../hooks.ts';
import type { Ids } from '../../tools/id.ts';
import type { ServerLog } from '../../tools/log.ts';
import type { Metrics } from '../../tools/metrics.ts';
import type { ProblemTable } from '../../problem-table.ts';
import type { CertificateSource } from '../connection/certificate.ts';
import { createProxies } from '../connection/address.ts';
import { createCoder } from '../route/negotiation.ts';
import { Connections, defaultLimits, type ConnectionLimits } from '../connection/connections.ts';
import { BodyRoom, LargeBodies } from '../body/large-bodies.ts';
import { HeldAnswers } from '../connection/held-answers.ts';
import { createBucket, createPace, type Bucket } from '../connection/limits.ts';
import type { Section } from '../route/presentation.ts';
import type { Route, ServiceName } from '../route/route.ts';
import { createTallies } from '../connection/tally.ts';

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
export type Site = ReturnType<typeof createSite>;

/** One address, and what all requests to it share. */
export interface Door {
  readonly site: Site;
  /** Keys may be sent there. */
  readonly secure: boolean;
  readonly loopback: boolean;
  /** Session cookies are taken there, see `isWhole`. */
  readonly whole: boolean;
  /** The sections that pages of the address lead to. */
  readonly sections: readonly Section[];
}

/** Creates the parts that all listeners share. Throws a ConfigError when `trustProxy` is faulty. */
export function createSite(options: HttpOptions) {
  const { clock, metrics, publicUrl, trustProxy } = options;
  const proxies = createProxies(trustProxy);
  const limits = { ...defaultLimits(), ...options.connections };
  return {
    options,
    proxies,
    bucketOf: createBuckets(),
    failedBucket: createBucket('failed-authentication', 60, 60),
    /** Says how long the refusal of a caller waits, ms. */
    pace: createPace(clock),
    encode: createCoder(),
    tallies: createTallies(metrics),
    traffic: new Traffic(),
    connections: new Connections({ limits, proxies, metrics, secureUrl: publicUrl.startsWith('https:') }),
    held: new HeldAnswers(limits.held, metrics),
    /** Parses large bodies. */
    bodies: new LargeBodies({ clock }),
    /** Bounds the bodies that are being read. */
    bodyRoom: new BodyRoom(),
    callers: new Callers(limits.per_caller),
    /** Aborted once, when the shutdown begins. */
    drain: new AbortController(),
  };
}

// Finds the bucket of a public route; routes whose buckets have the same name share it.
function createBuckets(): (route: Route) => Bucket {
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
class Callers {
  readonly #most: number;
  readonly #underWay = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request as begun. Throws 429 `rate_limited` when the principal has too many, and does not count it. */
  enter(id: string): void {
    const count = this.#underWay.get(id) ?? 0;
    if (count >= this.#most)
      throw new PlatformError('rate_limited', 'this caller has too many open requests; wait for their answers', {
        retry_after: 1,
      });
    this.#underWay.set(id, count + 1);
  }

  leave(id: string): void {
    const count = this.#underWay.get(id) ?? 0;
    if (count > 1) this.#underWay.set(id, count - 1);
    else this.#underWay.delete(id);
  }
}

/** Counts the requests in work and the answers that are not flushed yet. */
class Traffic {
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
    if (this.inFlight() > 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
  }

  #settle(): void {
    if (this.inFlight() === 0) this.#waiting?.();
  }
}
