import { timestamp, whenKnown, type Awaitable, type Clock, type Sealer } from '../../../kernel/index.ts';
import { vendorOf } from './vendor-list.ts';
import type { Secret } from './auth/proof.ts';
import type { Vendor } from './vendors/vendor.ts';
import { authOf, reportsOn, settingsOf, viewOf } from './source.ts';
import type { SourceReads, StoredSecret, StoredSource } from './store.ts';
import type { SourceRecord, SourceView, VendorSettings } from './settings/schema.ts';
import { createHash, randomBytes } from 'node:crypto';

/** A source in memory, ready to serve a delivery. */
export interface LiveSource {
  readonly record: SourceRecord;
  readonly vendor: Vendor;
  readonly settings: VendorSettings;
  readonly view: SourceView;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted: boolean;
  /** The token of the address for the reports of single calls, which the server itself hands to the vendor. */
  readonly report_token?: string;
}

/** All sources in memory; refreshed after each committed change. */
export type Registry = Awaited<ReturnType<typeof openRegistry>>;

interface OpenSecret extends Secret {
  /** Absent: valid from the beginning, so a clock that is set back does not lock the sender out. */
  readonly not_before?: string;
  readonly not_after?: string;
}

/** Opens the registry with the stored sources. */
export async function openRegistry(
  reads: Pick<SourceReads, 'all' | 'secrets'>,
  sealer: Sealer,
  clock: Pick<Clock, 'now'>,
) {
  const byHash = new Map<string, LiveSource>();
  const byId = new Map<string, LiveSource>();
  const reporters = new Map<string, LiveSource[]>();
  const secrets = new Map<string, OpenSecret[]>();
  let asked = 0;
  const take = (sources: readonly StoredSource[], stored: readonly StoredSecret[]): void => {
    for (const map of [byHash, byId, reporters, secrets]) map.clear();
    for (const one of sources) {
      const source = live(one, sealer);
      byId.set(source.record.source_id, source);
      for (const name of reportsOn(source)) reporters.set(name, [...(reporters.get(name) ?? []), source]);
      if (source.deleted) continue;
      byHash.set(Buffer.from(one.token_hash).toString('hex'), source);
      if (source.report_token !== undefined) byHash.set(hashToken(source.report_token).toString('hex'), source);
    }
    for (const one of stored) secrets.set(one.source_id, [...(secrets.get(one.source_id) ?? []), opened(sealer, one)]);
  };
  // Of two refreshes that overlap, the one that began later counts, and the other waits for it.
  let last: Awaitable<void> = undefined;
  const refresh = (): Awaitable<void> => {
    const turn = ++asked;
    last = whenKnown(reads.all(), (sources) =>
      whenKnown(reads.secrets(), (stored) => (turn === asked ? take(sources, stored) : last)),
    );
    return last;
  };
  await refresh();
  return {
    byToken: (token: string) => byHash.get(hashToken(token).toString('hex')),
    /** Finds a source, also a deleted one: its deliveries are still processed. */
    byId: (sourceId: string) => byId.get(sourceId),
    /** Lists the sources of delivery reports of a provider, oldest first, also deleted ones: their reports stay. */
    reportersOf: (provider: string): readonly LiveSource[] => reporters.get(provider) ?? [],
    /** Lists the sources that are not deleted, oldest first. */
    all: () => [...byId.values()].filter(({ deleted }) => !deleted),
    /** Lists the active secrets, newest first, decrypted. */
    secretsOf(sourceId: string): readonly Secret[] {
      const now = timestamp(clock.now());
      return (secrets.get(sourceId) ?? []).filter(
        ({ not_before, not_after }) =>
          (not_before === undefined || not_before <= now) && (not_after === undefined || not_after > now),
      );
    },
    /** Reads all sources again from the store. */
    refresh,
  };
}

function live({ record, token_hash, created_at, updated_at, deleted_at }: StoredSource, sealer: Sealer): LiveSource {
  const made = { vendor: vendorOf(record.vendor), settings: settingsOf(record), view: viewOf(record) };
  const source = { record, ...made, created_at, updated_at, deleted: deleted_at !== undefined };
  if (made.vendor.reports !== true) return source;
  return { ...source, report_token: reportToken(record.source_id, token_hash, sealer) };
}

/**
 * Derives a second token of a source from the master key: of the first one only the hash is stored, and vendors are
 * handed an address with each call. A new first token makes a new second one.
 */
function reportToken(sourceId: string, hash: Uint8Array, sealer: Sealer): string {
  return sealer.mac('report-addresses', `${sourceId} ${Buffer.from(hash).toString('hex')}`);
}

function opened(sealer: Sealer, { version, sealed, not_before, not_after, created_at }: StoredSecret): OpenSecret {
  const text = Buffer.from(sealer.open('sources', sealed)).toString();
  const later = not_before > created_at ? { not_before } : {};
  return { version, text, ...later, ...(not_after === undefined ? {} : { not_after }) };
}

/** Makes the unguessable part of a hook's address: 256 bits as base64url. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a token: only the hash is stored, and it is the lookup key. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Makes a secret for a source; undefined when it needs none. */
export function makeSecret(record: Pick<SourceRecord, 'vendor' | 'auth'>): string | undefined {
  if (authOf(record).scheme === 'url') return undefined;
  const bytes = randomBytes(32);
  return record.vendor === 'standard-webhooks' ? `whsec_${bytes.toString('base64')}` : bytes.toString('base64url');
}
