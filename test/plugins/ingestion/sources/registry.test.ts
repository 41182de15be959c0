import { expect } from 'chai';
import { hashToken, makeSecret, openRegistry } from '../../../../plugins/ingestion/sources/registry.ts';
import { authOf, mostBytes, retentionDays, settingsOf, viewOf } from '../../../../plugins/ingestion/sources/source.ts';
import type { SourceRecord } from '../../../../plugins/ingestion/sources/settings/schema.ts';
import type { StoredSecret, StoredSource } from '../../../../plugins/ingestion/sources/store.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 21) + second * 1000).toISOString();

const stored = (id: string, more: Partial<StoredSource> = {}): StoredSource => ({
  record: { source_id: id, name: id, vendor: 'github' },
  token_hash: hashToken(`token of ${id}`),
  ...{ created_at: at(0), updated_at: at(1), ...more },
});
const secret = (version: number, more: Partial<StoredSecret> = {}): StoredSecret => ({
  ...{ source_id: 'a', version, sealed: Buffer.from(`secret ${version}`), created_at: at(0), not_before: at(0) },
  ...more,
});

/** Opens a registry at a second of the day over rows that may change. */
function opened(second: number, sources: StoredSource[], secrets: StoredSecret[] = []) {
  const reads = { all: () => sources, secrets: () => secrets };
  const sealer = { open: (_: string, sealed: Uint8Array) => sealed };
  const clock = { now: () => Date.parse(at(second)), monotonic: () => 0 };
  return openRegistry(reads, sealer as never, clock);
}
const versions = async (second: number, ...secrets: readonly StoredSecret[]): Promise<readonly number[]> =>
  (await opened(second, [stored('a')], [...secrets])).secretsOf('a').map(({ version }) => version);

describe('the registry of sources', () => {
  it('finds a source by its id and its token', async () => {
    const registry = await opened(9, [stored('a'), stored('b')]);
    expect(registry.byToken('token of b')).to.equal(registry.byId('b'));
    expect(registry.byId('b')).to.deep.include({ created_at: at(0), updated_at: at(1), deleted: false });
    expect([registry.byToken('b'), registry.byId('c')]).to.deep.equal([undefined, undefined]);
    expect(registry.all().map(({ record }) => record.source_id)).to.deep.equal(['a', 'b']);
  });

  it('still knows a deleted source by its id, and by nothing else', async () => {
    const registry = await opened(9, [stored('a', { deleted_at: at(2) }), stored('b')]);
    expect(registry.byId('a')).to.include({ deleted: true });
    expect(registry.byToken('token of a')).to.equal(undefined);
    expect(registry.all().map(({ record }) => record.source_id)).to.deep.equal(['b']);
  });

  it('knows what is stored when it is refreshed, and nothing else', async () => {
    const rows = [stored('a')];
    const secrets = [secret(1)];
    const registry = await opened(9, rows, secrets);
    rows.splice(0, 1, stored('b'));
    secrets.splice(0, 1, secret(2));
    expect(registry.byId('b')).to.equal(undefined);
    await registry.refresh();
    expect([registry.byId('a'), registry.byToken('token of a')]).to.deep.equal([undefined, undefined]);
    expect(registry.byToken('token of b')).to.equal(registry.byId('b'));
    expect(registry.secretsOf('a').map(({ version }) => version)).to.deep.equal([2]);
  });

  it('opens the secrets of a source, and no others', async () => {
    const registry = await opened(9, [stored('a')], [secret(2), secret(1), secret(3, { source_id: 'b' })]);
    expect(registry.secretsOf('a').map(({ version, text }) => [version, text])).to.deep.equal([
      [2, 'secret 2'],
      [1, 'secret 1'],
    ]);
    expect(registry.secretsOf('c')).to.deep.equal([]);
  });

  it('lets a secret serve from its time on, until its time is over', async () => {
    const one = secret(1, { not_before: at(10), not_after: at(20) });
    expect(await Promise.all([9, 10, 19, 20].map((second) => versions(second, one)))).to.deep.equal([[], [1], [1], []]);
    expect(await versions(9, secret(1, { not_after: at(20) }))).to.deep.equal([1]);
    expect(await versions(11, secret(1, { not_before: at(10) }))).to.deep.equal([1]);
  });

  it('lets a secret serve that is older than a clock that was set back', async () => {
    expect(await versions(-9, secret(1))).to.deep.equal([1]);
    expect(await versions(-9, secret(1, { not_before: at(1) }))).to.deep.equal([]);
  });
});

describe('a secret that we make', () => {
  it('fits the vendor, and is none for a source without one', () => {
    const auth = { scheme: 'url' } as const;
    expect(makeSecret({ vendor: 'github', auth })).to.equal(undefined);
    expect(makeSecret({ vendor: 'github' })).to.match(/^[A-Za-z0-9_-]{43}$/);
    expect(makeSecret({ vendor: 'standard-webhooks' })).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});

describe('the settings of a source', () => {
  const record = (more: Partial<SourceRecord> = {}): SourceRecord => ({
    source_id: 'a',
    name: 'n',
    vendor: 'github',
    ...more,
  });
  const mib = 1024 * 1024;

  it('are those of its vendor where it has none', () => {
    expect(authOf(record())).to.deep.equal({ scheme: 'signature' });
    expect(authOf(record({ auth: { scheme: 'url' } }))).to.deep.equal({ scheme: 'url' });
    expect(settingsOf(record({ delivery_header: 'x-id' }))).to.deep.equal({
      ...{ auth: { scheme: 'signature' }, delivery_header: 'x-id' },
    });
    expect([retentionDays(record()), retentionDays(record({ retention_days: 7 }))]).to.deep.equal([30, 7]);
  });

  it('show incidents its subjects and its policy', () => {
    const nobody = { orbs: [], providers: [], components: [] };
    expect(viewOf(record())).to.deep.equal({
      ...{ source_id: 'a', name: 'n', vendor: 'github', subjects: { may_name: nobody, aliases: [] } },
      policy: {
        ...{ default_severity: 'high', min_severity: 'warning', auto_resolve: 'all' },
        ...{ for_s: 0, hold_s: 60, reopen_window_s: 900, ttl_s: 86_400 },
        impacts: { critical: 'partial_outage', high: 'partial_outage', warning: 'degraded_performance', info: 'none' },
      },
    });
    const may_name = { orbs: ['a.*'], providers: ['p'], components: ['c'] };
    const { subjects, policy } = viewOf(record({ may_name, default_component: 'c', policy: { ttl_s: 1, hold_s: 2 } }));
    expect(subjects).to.deep.equal({ may_name, aliases: [], default_component: 'c' });
    expect(policy).to.deep.include({ ttl_s: 1, hold_s: 2, for_s: 0 });
  });

  it('limit a body, up to what the vendor allows', () => {
    const most = (vendor: SourceRecord['vendor'], max_bytes?: number): number =>
      mostBytes(
        record({ vendor, ...(max_bytes === undefined ? {} : { limits: { burst: 1, rate_per_second: 1, max_bytes } }) }),
      );
    expect([most('github'), most('github', 9), most('github', 20 * mib), most('github', 99 * mib)]).to.deep.equal([
      ...[mib, 9, 20 * mib, 25 * mib],
    ]);
    expect(most('datadog', 9 * mib)).to.equal(mib);
  });
});
