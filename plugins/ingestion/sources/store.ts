import {
  PlatformError,
  queriesOf,
  rowReader,
  rowWriter,
  type Awaitable,
  type AwaitableReads,
  type Connection,
  type WriteConnection,
  type WriteContext,
  type RowOf,
  type WriterScope,
} from '../../../kernel/index.ts';
import { mostSecrets } from './auth/hmac.ts';
import type { SourceRecord } from './settings/schema.ts';
import { storedSecret } from './settings/secret-schema.ts';
import { problems } from '../problems.ts';
import { topics } from '../topics.ts';

/** A source as it is stored. */
export interface StoredSource {
  readonly record: SourceRecord;
  readonly token_hash: Uint8Array;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at?: string;
}

/** A secret in answers, with its encrypted text. */
export type StoredSecret = ShownSecret & { readonly source_id: string; readonly sealed: Uint8Array };

/** A secret to add; `retire_others_at`: time at which the current secrets expire. */
export type NewSecret = Omit<StoredSecret, 'version' | 'last_used_at'> & { readonly retire_others_at?: string };

/** Reads of sources. */
export type SourceReads = AwaitableReads<ReturnType<typeof sourceReading>>;

// The text of a secret that was removed.
const nothing = new Uint8Array();

/** Makes the named writes of sources. */
function sourceWriting({ connection }: WriterScope) {
  const columns = ['source_id', 'token_hash', 'record', 'created_at', 'updated_at'] as const;
  const insert = rowWriter(connection, 'ingestion_sources', columns);
  const update = connection.prepare(
    'UPDATE ingestion_sources SET record = ?, updated_at = ? WHERE source_id = ? AND updated_at = ? AND deleted_at IS NULL',
  );
  const readdress = connection.prepare(
    'UPDATE ingestion_sources SET token_hash = ?, updated_at = ? WHERE source_id = ? AND deleted_at IS NULL',
  );
  const remove = connection.prepare('UPDATE ingestion_sources SET deleted_at = ? WHERE source_id = ?');
  const dropSecrets = connection.prepare('UPDATE ingestion_secrets SET sealed = ?, not_after = ? WHERE source_id = ?');
  return {
    addSource({ record, token_hash, created_at }: Omit<StoredSource, 'updated_at'>, write: WriteContext): void {
      insert({ source_id: record.source_id, token_hash, record, created_at, updated_at: created_at });
      write.tell(topics.sources, record.source_id);
    },
    /** Changes a source that was last updated at `since`; answers 0 when that is no longer so, or it is deleted. */
    changeSource({ record, since, at }: ChangedSource, write: WriteContext): Awaitable<number> {
      write.tell(topics.sources, record.source_id);
      return update.run(JSON.stringify(record), at, record.source_id, since);
    },
    readdressSource({ source_id, token_hash, at }: Readdressed, write: WriteContext): Awaitable<number> {
      write.tell(topics.sources, source_id);
      return readdress.run(token_hash, at, source_id);
    },
    removeSource({ source_id, at }: { readonly source_id: string; readonly at: string }, write: WriteContext): void {
      remove.queue(at, source_id);
      dropSecrets.queue(nothing, at, source_id);
      write.tell(topics.sources, source_id);
    },
    addSecret: secretAdding(connection),
    removeSecret: secretRemoving(connection),
  };
}

type ChangedSource = Pick<StoredSource, 'record'> & Readonly<Record<'since' | 'at', string>>;
type Readdressed = Pick<StoredSource, 'token_hash'> & Readonly<Record<'source_id' | 'at', string>>;
type RemovedSecret = Pick<StoredSecret, 'source_id' | 'version'> & { readonly at: string };

/** Adds a secret and returns its version. Throws `secret_limit` when three others are active or will become active. */
function secretAdding(connection: WriteConnection): (secret: NewSecret, write: WriteContext) => Promise<number> {
  const retire = connection.prepare(
    'UPDATE ingestion_secrets SET not_after = ? WHERE source_id = ? AND (not_after IS NULL OR not_after > ?)',
  );
  const count = connection.prepare(
    'SELECT count(*) AS n FROM ingestion_secrets WHERE source_id = ? AND (not_after IS NULL OR not_after > ?)',
  );
  const last = connection.prepare('SELECT max(version) AS last FROM ingestion_secrets WHERE source_id = ?');
  const columns = ['source_id', 'version', 'sealed', 'not_before', 'not_after', 'created_at'] as const;
  const insert = rowWriter(connection, 'ingestion_secrets', columns);
  return async ({ source_id, created_at, retire_others_at, ...secret }, write) => {
    write.guard('secrets');
    if (retire_others_at !== undefined) retire.queue(retire_others_at, source_id, retire_others_at);
    if (Number((await count.get(source_id, created_at))?.['n']) >= mostSecrets)
      throw new PlatformError(problems.secret_limit, `a source has at most ${mostSecrets} secrets; remove one first`);
    const version = Number((await last.get(source_id))?.['last'] ?? 0) + 1;
    insert({ ...secret, source_id, version, created_at });
    write.tell(topics.sources, source_id);
    return version;
  };
}

/**
 * Removes the text of a secret; the row stays, since deliveries name its version. Throws `secret_limit` for the last
 * secret.
 */
function secretRemoving(connection: WriteConnection) {
  const others = connection.prepare(
    'SELECT 1 FROM ingestion_secrets WHERE source_id = ? AND version <> ? AND (not_after IS NULL OR not_after > ?) LIMIT 1',
  );
  const remove = connection.prepare(
    'UPDATE ingestion_secrets SET sealed = ?, not_after = ? WHERE source_id = ? AND version = ? AND length(sealed) > 0',
  );
  return async (one: RemovedSecret, write: WriteContext): Promise<number> => {
    write.guard('secrets');
    if ((await others.get(one.source_id, one.version, one.at)) === undefined)
      throw new PlatformError(
        problems.secret_limit,
        'the last secret of a source cannot be removed; add another one first',
      );
    write.tell(topics.sources, one.source_id);
    return remove.run(nothing, one.at, one.source_id, one.version);
  };
}

/** Prepares the reads of sources. */
function sourceReading(connection: Connection) {
  const { list } = queriesOf(connection);
  const secretsOf = list(
    `SELECT ${secretColumns} FROM ingestion_secrets WHERE source_id = ? AND length(sealed) > 0 ORDER BY version DESC`,
    secretOf,
  );
  return {
    all: list<StoredSource, []>(
      `SELECT ${Object.keys(sourceRow).join(', ')} FROM ingestion_sources ORDER BY source_id`,
      sourceOf,
    ),
    secrets: list<StoredSecret, []>(
      `SELECT ${secretColumns} FROM ingestion_secrets WHERE length(sealed) > 0 ORDER BY source_id, version DESC`,
      sealedOf,
    ),
    secretsOf,
    /** Lists the secrets of sources, in their order. */
    secretsOfEach: (ids: readonly string[]): readonly (readonly ShownSecret[])[] => ids.map((id) => secretsOf(id)),
  };
}

/** The part of the plugin's store that holds sources and their secrets. */
export const sourcePart = {
  name: 'ingestion',
  write: (scope: WriterScope) => ({ operations: sourceWriting(scope) }),
  read: sourceReading,
} as const;

type ShownSecret = RowOf<typeof storedSecret, 'not_after' | 'last_used_at'>;

const sourceRow = { record: { type: 'object' }, token_hash: {}, created_at: {}, updated_at: {}, deleted_at: {} };
const sourceOf = rowReader<StoredSource>({ properties: sourceRow });
const secretOf = rowReader<ShownSecret>(storedSecret);
const sealedRow = { ...storedSecret.properties, source_id: {}, sealed: {} };
const sealedOf = rowReader<StoredSecret>({ properties: sealedRow });
const secretColumns = Object.keys(sealedRow).join(', ');
