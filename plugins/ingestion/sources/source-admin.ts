import {
  given,
  operation,
  PlatformError,
  timestamp,
  type Fault,
  type PluginScope,
  type Sealer,
  similarTo,
} from '../../../kernel/index.ts';
import { sourcePart, type NewSecret, type SourceReads } from './store.ts';
import { hashToken, makeSecret, makeToken, type LiveSource, type Registry } from './registry.ts';
import type { NewSource, SourceChange, SourceRecord } from './settings/schema.ts';
import type { SecretWish } from './settings/secret-schema.ts';
import { problems } from '../problems.ts';
import { secretHeader } from './auth/secret.ts';
import { publicKey, symmetricKey } from './auth/standard.ts';
import { allVendors, isVendor, vendorOf } from './vendor-list.ts';
import { authOf } from './source.ts';

/**
 * Dependencies of the source administration; `changed`: called after a source has changed; its queue is then made
 * again.
 */
interface SourceAdminOptions extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'ids'> {
  readonly reads: Pick<SourceReads, 'secretsOf'>;
  readonly registry: Registry;
  readonly changed: (sourceId: string) => void;
}

/** Creates, changes and removes sources; every change is committed before it takes effect. */
export type SourceAdmin = ReturnType<typeof createSourceAdmin>;

/** Creates the source administration. */
export function createSourceAdmin(options: SourceAdminOptions) {
  const { store, registry, clock, ids } = options;
  const now = (): string => timestamp(clock.now());
  // The response is valid on every node.
  const followed = async (sourceId: string): Promise<void> => {
    await registry.refresh();
    options.changed(sourceId);
    await store.peers.everywhere();
  };
  const again = async (sourceId: string): Promise<LiveSource> => {
    await followed(sourceId);
    return findSource(registry, sourceId);
  };
  return {
    /** Creates a source. Returns token and secret, which are shown only here. */
    async create({ secret: chosen, ...wish }: NewSource) {
      const record: SourceRecord = { ...wish, source_id: ids('src') };
      checkSource(record);
      if (chosen !== undefined) checkSecretText(record, chosen);
      const secret = chosen ?? makeSecret(record);
      const token = makeToken();
      const created_at = now();
      const add = operation(sourcePart, 'addSource', { record, token_hash: own(hashToken(token)), created_at });
      const first = { source_id: record.source_id, not_before: created_at, created_at };
      await store.write(secret === undefined ? [add] : [add, secretOperation(store.sealer, { ...first, secret })]);
      return { source: await again(record.source_id), token, secret };
    },
    async change(source: LiveSource, change: SourceChange): Promise<LiveSource> {
      const { source_id } = source.record;
      for (let last = source; ;) {
        const record = { ...last.record, ...change };
        checkSource(record);
        const changed = { record, since: last.updated_at, at: later(clock, last) };
        if ((await store.write([operation(sourcePart, 'changeSource', changed)]))[0] === 1)
          return again(record.source_id);
        // Another caller has changed it since: apply this change to the current state.
        await registry.refresh();
        last = findSource(registry, source_id);
      }
    },
    async remove({ record: { source_id } }: LiveSource) {
      await store.write([operation(sourcePart, 'removeSource', { source_id, at: now() })]);
      await followed(source_id);
    },
    readdress: readdressing(options, again),
    ...secretAdmin(options, again),
  };
}

function readdressing({ store, clock }: SourceAdminOptions, again: (sourceId: string) => Promise<LiveSource>) {
  return async (source: LiveSource): Promise<string> => {
    const { source_id } = source.record;
    const token = makeToken();
    const change = { source_id, token_hash: own(hashToken(token)), at: later(clock, source) };
    await store.write([operation(sourcePart, 'readdressSource', change)]);
    await again(source_id);
    return token;
  };
}

function secretAdmin({ store, reads, clock }: SourceAdminOptions, again: (sourceId: string) => Promise<LiveSource>) {
  return {
    async addSecret({ record }: LiveSource, wish: SecretWish) {
      const secret = wish.secret ?? makeSecret(record);
      if (secret === undefined)
        throw new PlatformError(problems.secret_limit, 'the source has no secret except its URL');
      checkSecretText(record, secret);
      const created_at = timestamp(clock.now());
      const { retire_others_after_s: overlap } = wish;
      const { not_before = created_at, not_after } = wish;
      const retire_others_at = overlap === undefined ? undefined : timestamp(clock.now() + overlap * 1000);
      const adding = secretOperation(store.sealer, {
        ...{ source_id: record.source_id, secret, not_before, created_at },
        ...given({ not_after, retire_others_at }),
      });
      const [version] = await store.write([adding]);
      await again(record.source_id);
      return { version, secret };
    },
    async removeSecret({ record: { source_id } }: LiveSource, version: number) {
      if (!(await reads.secretsOf(source_id)).some((one) => one.version === version))
        throw new PlatformError(problems.source_not_found, `the source has no secret ${version}`);
      const at = timestamp(clock.now());
      await store.write([operation(sourcePart, 'removeSecret', { source_id, version, at })]);
      await again(source_id);
    },
  };
}

// No two states of a source have one time, so that the time tells whether it was changed in between.
function later(clock: SourceAdminOptions['clock'], { updated_at }: LiveSource): string {
  return timestamp(Math.max(clock.now(), Date.parse(updated_at) + 1));
}

type Sealing = Omit<NewSecret, 'sealed'> & { readonly secret: string };

function secretOperation(sealer: Sealer, { secret, ...rest }: Sealing) {
  return operation(sourcePart, 'addSecret', { ...rest, sealed: own(sealer.seal('sources', Buffer.from(secret))) });
}

/** Finds a source that is not deleted. Throws `source_not_found`. */
export function findSource(registry: Registry, sourceId: string): LiveSource {
  const source = registry.byId(sourceId);
  if (source === undefined || source.deleted)
    throw new PlatformError(problems.source_not_found, `there is no source ${sourceId}; GET /sources lists them`);
  return source;
}

// The copy owns its memory: sending a slice to the writer would send the whole pool.
function own(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Throws 422 `invalid_body` when members of a source contradict each other. */
function checkSource(record: Omit<SourceRecord, 'source_id'>): void {
  const { schemes } = vendorOf(record.vendor);
  const { scheme, header = secretHeader, signed, timestamp_header } = authOf(record);
  const faults: Fault[] = [];
  if (!isVendor(record.vendor)) faults.push({ pointer: '#/vendor', detail: vendorFault(record.vendor) });
  if (!schemes.includes(scheme))
    faults.push({ pointer: '#/auth/scheme', detail: `must be one of ${schemes.join(', ')} for ${record.vendor}` });
  if (signed !== undefined && signed !== 'body' && timestamp_header === undefined)
    faults.push({ pointer: '#/auth/timestamp_header', detail: 'must name the header with the signed time' });
  const authenticating = ['authorization', 'cookie', 'proxy-authorization', ...(scheme === 'header' ? [header] : [])];
  if (authenticating.some((name) => name.toLowerCase() === record.delivery_header?.toLowerCase()))
    faults.push({
      pointer: '#/delivery_header',
      detail: 'must not be an authentication header: the server stores this header',
    });
  refuse(faults);
}

function vendorFault(written: string): string {
  const names = allVendors().map(({ name }) => name);
  const meant = similarTo(written, names);
  return `must be one of ${names.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** Throws 422 `invalid_body` when the source cannot use a secret. */
function checkSecretText(record: Pick<SourceRecord, 'vendor' | 'auth'>, text: string): void {
  const { scheme } = authOf(record);
  const detail =
    scheme === 'url'
      ? 'must be absent: the source has no secret except its URL'
      : record.vendor === 'standard-webhooks' && symmetricKey(text) === undefined && publicKey(text) === undefined
        ? 'must be whsec_… (24 to 64 bytes of base64) or whpk_… (32 bytes)'
        : scheme !== 'signature' && !/^[\x21-\x7e]{16,}$/.test(text)
          ? 'must have at least 16 ASCII characters without spaces'
          : undefined;
  refuse(detail === undefined ? [] : [{ pointer: '#/secret', detail }]);
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const text = faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new PlatformError('invalid_body', `the body does not fit: ${text}`, { errors: faults });
}
