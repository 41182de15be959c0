import { operation, PlatformError, timestamp, type PluginScope, type Sealer } from '../../../kernel/index.ts';
import ingestionStore from '../store.ts';
import { checkSecretText, checkSource } from './check.ts';
import type { LiveSource, Registry } from './registry.ts';
import type { NewSecret, SourceReads } from './store.ts';
import { hashToken, makeSecret, makeToken } from './token.ts';
import type { NewSource, SecretWish, SourceChange, SourceRecord } from './schema.ts';
import { problems } from '../problems.ts';

/** What sources are managed with; `changed`: a source has changed, its queue is made anew. */
interface SourceAdminOptions extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'ids'> {
  readonly reads: SourceReads;
  readonly registry: Registry;
  readonly changed: (sourceId: string) => void;
}

/** What makes, changes and removes sources; every change is committed before it serves. */
export type SourceAdmin = ReturnType<typeof createSourceAdmin>;

/** Creates what manages sources. */
export function createSourceAdmin(options: SourceAdminOptions) {
  const { store, registry, clock, ids } = options;
  const now = (): string => timestamp(clock.now());
  const again = (sourceId: string): LiveSource => {
    registry.refresh();
    options.changed(sourceId);
    return findSource(registry, sourceId);
  };
  return {
    /** Answers token and secret: shown once, here. */
    async create({ secret: given, ...wish }: NewSource) {
      const record: SourceRecord = { ...wish, source_id: ids('src') };
      checkSource(record);
      if (given !== undefined) checkSecretText(record, given);
      const secret = given ?? makeSecret(record);
      const token = makeToken();
      const created_at = now();
      const add = operation(ingestionStore, 'addSource', { record, token_hash: own(hashToken(token)), created_at });
      const { source_id } = record;
      await store.write(
        secret === undefined
          ? [add]
          : [add, secretOperation(store.sealer, { source_id, secret, not_before: created_at, created_at })],
      );
      return { source: again(source_id), token, secret };
    },
    async change({ record }: LiveSource, change: SourceChange) {
      const changed = { ...record, ...change };
      checkSource(changed);
      await store.write([operation(ingestionStore, 'changeSource', { record: changed, at: now() })]);
      return again(record.source_id);
    },
    async remove({ record: { source_id } }: LiveSource) {
      await store.write([operation(ingestionStore, 'removeSource', { source_id, at: now() })]);
      registry.refresh();
      options.changed(source_id);
    },
    async readdress({ record: { source_id } }: LiveSource) {
      const token = makeToken();
      const change = { source_id, token_hash: own(hashToken(token)), at: now() };
      await store.write([operation(ingestionStore, 'readdressSource', change)]);
      again(source_id);
      return token;
    },
    ...secretAdmin(options, again),
  };
}

function secretAdmin({ store, reads, clock }: SourceAdminOptions, again: (sourceId: string) => LiveSource) {
  return {
    async addSecret({ record }: LiveSource, wish: SecretWish) {
      const secret = wish.secret ?? makeSecret(record);
      if (secret === undefined)
        throw new PlatformError(problems.secret_limit, 'the source has no secret other than its address');
      checkSecretText(record, secret);
      const created_at = timestamp(clock.now());
      const { retire_others_after_s: overlap } = wish;
      const adding = secretOperation(store.sealer, {
        source_id: record.source_id,
        secret,
        not_before: wish.not_before ?? created_at,
        ...(wish.not_after === undefined ? {} : { not_after: wish.not_after }),
        created_at,
        ...(overlap === undefined ? {} : { retire_others_at: timestamp(clock.now() + overlap * 1000) }),
      });
      const [version] = await store.write([adding]);
      again(record.source_id);
      return { version, secret };
    },
    async removeSecret({ record: { source_id } }: LiveSource, version: number) {
      if (!reads.secretsOf(source_id).some((one) => one.version === version))
        throw new PlatformError(problems.source_not_found, `the source has no secret ${version}`);
      const at = timestamp(clock.now());
      await store.write([operation(ingestionStore, 'removeSecret', { source_id, version, at })]);
      again(source_id);
    },
  };
}

type Sealing = Omit<NewSecret, 'sealed'> & { readonly secret: string };

function secretOperation(sealer: Sealer, { secret, ...rest }: Sealing) {
  return operation(ingestionStore, 'addSecret', { ...rest, sealed: own(sealer.seal('sources', Buffer.from(secret))) });
}

/** Finds a source that is not deleted. Throws `source_not_found`. */
export function findSource(registry: Registry, sourceId: string): LiveSource {
  const source = registry.byId(sourceId);
  if (source === undefined || source.deleted)
    throw new PlatformError(problems.source_not_found, `there is no source ${sourceId}`);
  return source;
}

// What crosses to the writer must own its memory: a slice would take its whole pool along.
function own(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
