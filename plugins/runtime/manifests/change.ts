import type { RuntimeScope } from '../facts/scope.ts';
import type { ConfiguredProviders } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { RuntimeReads } from '../store.ts';
import type { OpenRuns } from '../run/run-limits.ts';
import type { Orbiset } from '../catalog/orbiset.ts';
import type { Manifests } from './open.ts';
import {
  pageQuery,
  reply,
  type Reply,
  type Principal,
  canonical,
  digest,
  timestamp,
  type Clock,
  PlatformError,
  type Serial,
} from '../../../kernel/index.ts';

/** Schema of where a manifest comes from. */
export const source = {
  enum: ['file', 'api'],
  description: '`api`: added through the API and kept in the store',
} as const;
/** Query of the lists of manifests. */
export const manifestPage = { ...pageQuery, limit: { ...pageQuery.limit, default: 100 } } as const;

/** Names the Orb or the Orbiset of runs that wait. */
export type Waiting = { readonly orb_id: string } | { readonly tenant: string; readonly orbiset_id: string };

/** What manifests are served with. */
export interface ServingOptions extends Pick<RuntimeScope, 'clock' | 'log' | 'store'> {
  readonly manifests: Manifests;
  readonly bindings: Bindings;
  readonly reads: RuntimeReads;
  /** Returns the providers as they are configured now. */
  readonly configured: () => ConfiguredProviders;
}

/** The dependencies of changes to manifests. */
export interface ChangeOptions extends ServingOptions {
  readonly openRuns: OpenRuns;
  /** Resolves when each node that serves knows what is stored; absent: there are no others. */
  readonly everywhere?: (() => Promise<void>) | undefined;
  /** Says whether a run waits that names an Orb or Orbiset; absent: those are counted with the open ones. */
  readonly waits?: ((named: Waiting) => Promise<boolean>) | undefined;
  /** Runs one change at a time, and none during a reload of the configuration. */
  readonly serial: Serial;
}

/** Most stored Orbs, and most stored Orbisets of a tenant. */
export const manifestLimit = 1000;

/** Names who puts a manifest, and when, for its row. */
export function putBy({ id: principal }: Principal, clock: Clock) {
  return { principal, put_at: timestamp(clock.now()), limit: manifestLimit };
}

/** Refuses an id that a file defines: 409 `defined_in_file`. */
export function refuseFile(kind: 'orbs' | 'orbisets', id: string, isFile: boolean): void {
  if (!isFile) return;
  throw new PlatformError('defined_in_file', `data/${kind}/${id}.json defines it; change the file and restart`);
}

/** Refuses to remove a manifest that runs still use: 409 `runs_open`. */
export function refuseOpen(id: string, openRuns: OpenRuns): void {
  const open = openRuns.of(id);
  if (open === 0) return;
  throw new PlatformError('runs_open', `${open} of its runs are open; wait until they end`, { retry_after: 1 });
}

/** Refuses to remove a manifest that runs wait for, at whichever node they were accepted: 409 `runs_open`. */
export async function refuseWaiting(named: Waiting, { waits }: Pick<ChangeOptions, 'waits'>): Promise<void> {
  if ((await waits?.(named)) !== true) return;
  throw new PlatformError('runs_open', 'some of its runs are queued; wait until they end', { retry_after: 1 });
}

/** Makes the ETag of a manifest: its digest. */
export function tagOf(manifest: string): string {
  return `"${manifest}"`;
}

/** Shows a manifest with its digest, which is its ETag. */
export function shownManifest(
  manifest: object,
  manifest_digest: string,
  { source, status = 200, headers }: { source: string; status?: number; headers?: Readonly<Record<string, string>> },
): Reply {
  const body = { manifest, manifest_digest, source };
  return reply({ status, headers: { ETag: tagOf(manifest_digest), ...headers }, body });
}

/** Computes the digest of an Orbiset in canonical form, as for an Orb. */
export function digestOf(orbiset: Orbiset): string {
  return digest(canonical(orbiset));
}
