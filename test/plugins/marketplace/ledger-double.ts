import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin } from '../../../kernel/index.ts';
import type { Plugin } from '../../../kernel/surface.ts';
import {
  reputation,
  type ListingChange,
  type ManifestSignature,
  type NamespaceGrant,
  type OrbReputation,
  type Reputation,
  type SnapshotRef,
  type TierEvent,
} from '../../../plugins/ledger/contract.ts';
import {
  certificateRegister,
  type CertificateRegister,
  type CertificateReport,
  type CertificateSummary,
} from '../../../plugins/ledger/certificate/format/report.ts';
import { faultOfSignature } from '../../../plugins/marketplace/publish/manifest-signature.ts';
import {
  transparencyLog,
  type LogEntry,
  type Position,
  type TransparencyLog,
} from '../../../plugins/receipts/contract.ts';
import { type Catalog, runtime } from '../../../plugins/runtime/contract.ts';
import { componentNames, tiers } from '../../../plugins/ledger/shapes.ts';

/** A ledger whose scores a test sets; namespaces and listings are folded from the real log. */
export interface LedgerDouble {
  readonly plugin: Plugin;
  /** Sets what the next snapshot says of an Orb. */
  set(orbId: string, given: Partial<OrbReputation>): void;
  /** Takes a snapshot: what was set holds from now on. */
  snapshot(day: string): void;
  /** Has the ledger say that it counts up to a position only, or that it is at the end of the log. */
  behind(asOf?: Position): void;
  /** Sets the newest certificate of an Orb; every check of it passes. */
  certify(orbId: string, summary: CertificateSummary): void;
  /** Sets the events of an Orb. */
  events(orbId: string, events: readonly TierEvent[]): void;
}

const scoringPolicy = { id: 'orb-score/1', digest: `sha256:${'0'.repeat(64)}` };

const report: CertificateReport = {
  overall: 'VERIFIED',
  exit: 0,
  checks: (['proof', 'issuer_trusted', 'key_active', 'dates', 'status'] as const).map((name) => ({
    name,
    result: 'pass',
  })),
};

const unscored = (orb_id: string): OrbReputation => ({
  orb_id,
  status: 'unscored',
  tier: 'none',
  tier_rank: 0,
  suspended: false,
  suspension_causes: [],
  score: null,
  score_milli: null,
  components: [],
  manifest_signed: false,
  profile: 'single-org',
  scoring_policy: scoringPolicy,
  usage: { runs_30d: 0, callers_30d: 0 },
  incidents: { open: 0, debt_milli: 0 },
});

/** Makes components that add up to about a score. */
export function componentsOf(score: number): OrbReputation['components'] {
  const weights = [35, 20, 15, 10, 10, 5, 5];
  return componentNames.map((name, index) => {
    const weight = weights[index] ?? 0;
    return { name, weight, value_milli: score * 10, points_milli: weight * score * 10 };
  });
}

/** Makes a ledger double. */
export function createLedgerDouble(): LedgerDouble {
  const next = new Map<string, Partial<OrbReputation>>();
  let held = new Map<string, Partial<OrbReputation>>();
  let snapshot: SnapshotRef | undefined;
  let asOf: Position | undefined;
  const listeners: (() => void)[] = [];
  const events = new Map<string, readonly TierEvent[]>();
  const certified = new Map<string, CertificateSummary>();
  const certificates: CertificateRegister = {
    newest: (orbId) => certified.get(orbId),
    verify: () => report,
    verifyNewest: (orbId) => (certified.has(orbId) ? report : undefined),
  };
  const fold = createFold();
  const plugin = definePlugin({
    name: 'ledger',
    provides: { reputation, certificateRegister },
    requires: { log: transparencyLog, runtime },
    start({ services, home }) {
      const signatures = createSignatures(services.runtime.catalog, home, fold);
      const service: Reputation = {
        get: (orbId) => reputationOf(orbId, held.get(orbId)),
        orbs: () => [...held.keys()].sort(),
        versionOf: (name) => name,
        listing: (orbId) => fold.listings.get(orbId),
        listings: () => [...fold.listings.values()],
        namespace: (name) => fold.namespaces.get(name),
        namespaces: () => [...fold.namespaces.values()],
        incidentDebts: () => [],
        tierEvents: (orbId) => events.get(orbId) ?? [],
        snapshot: () => snapshot,
        ...signatures,
        settled: async () => fold.follow(services.log),
        asOf: () => asOf,
        onSnapshot: (listener) => {
          listeners.push(() => snapshot !== undefined && listener(snapshot));
          return () => undefined;
        },
        onStanding: () => () => undefined,
      };
      return { services: { reputation: service, certificateRegister: certificates } };
    },
  });
  return {
    plugin,
    set: (orbId, given) => void next.set(orbId, given),
    certify: (orbId, summary) => void certified.set(orbId, summary),
    events: (orbId, given) => void events.set(orbId, given),
    behind: (position) => void (asOf = position),
    snapshot: (day) => {
      held = new Map(next);
      const digest = `sha256:${'1'.repeat(64)}`;
      snapshot = { day, digest, logs: [], profile: 'single-org', scoring_policy: scoringPolicy };
      for (const listener of listeners) listener();
    },
  };
}

function reputationOf(orbId: string, given: Partial<OrbReputation> = {}): OrbReputation {
  const { tier = 'none', score = null } = given;
  return {
    ...unscored(orbId),
    status: score === null ? 'unscored' : 'scored',
    score_milli: score === null ? null : score * 1000,
    tier_rank: tiers.indexOf(tier),
    components: score === null ? [] : componentsOf(score),
    ...given,
  };
}

interface Fold {
  readonly namespaces: Map<string, NamespaceGrant>;
  readonly listings: Map<string, ListingChange>;
  follow(log: TransparencyLog): Promise<void>;
}

interface Predicate {
  readonly facts: object;
  readonly receipt_id: string;
  readonly at: string;
  readonly namespace?: string;
  readonly orb_id?: string;
}

function createFold(): Fold {
  const namespaces = new Map<string, NamespaceGrant>();
  const listings = new Map<string, ListingChange>();
  const read = new Map<string, number>();
  const take = (entry: LogEntry): void => {
    // What this program signed a moment ago, by its own schemas.
    const { predicate } = JSON.parse(entry.statement) as { readonly predicate: Predicate };
    const { facts, receipt_id, at, namespace, orb_id } = predicate;
    if (entry.kind === 'namespace' && namespace !== undefined) {
      const { change: state, ...rest } = facts as unknown as NamespaceGrant & { change: NamespaceGrant['state'] };
      namespaces.set(namespace, { ...rest, namespace, state, at, receipt_id });
    }
    if (entry.kind === 'standing' && orb_id !== undefined) {
      const { change: state } = facts as { readonly change: ListingChange['state'] };
      const published_at = listings.get(orb_id)?.published_at ?? at;
      listings.set(orb_id, { orb_id, state, published_at, changed_at: at, manifest_signed: false, receipt_id });
    }
  };
  return {
    namespaces,
    listings,
    async follow(log) {
      for (const entry of await log.entriesAfter(read, 10_000)) {
        take(entry);
        read.set(entry.origin, entry.index + 1);
      }
    },
  };
}

function createSignatures(
  { orbs }: Catalog,
  home: string,
  { namespaces }: Fold,
): Pick<Reputation, 'manifest' | 'offerSignature'> {
  const kept = new Map<string, ManifestSignature>();
  const valid = (orbId: string, signature: ManifestSignature | undefined): boolean => {
    const orb = orbs.get(orbId);
    if (orb === undefined || signature === undefined) return false;
    return faultOfSignature(signature, orb.manifest, namespaces.get(orb.namespace)?.manifest_key) === undefined;
  };
  const read = (orbId: string): ManifestSignature | undefined => {
    const file = join(home, 'data/orbs', `${orbId}.sig`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ManifestSignature) : kept.get(orbId);
  };
  return {
    manifest: (orbId) => {
      const orb = orbs.get(orbId);
      return orb === undefined ? undefined : { orb_id: orbId, digest: orb.digest, signed: valid(orbId, read(orbId)) };
    },
    offerSignature: (orbId, signature) => {
      const given = signature === undefined ? {} : ({ given: valid(orbId, signature) ? 'valid' : 'invalid' } as const);
      if (signature !== undefined && given.given === 'valid') kept.set(orbId, signature);
      return Promise.resolve({ ...given, signed: valid(orbId, read(orbId)) });
    },
  };
}
