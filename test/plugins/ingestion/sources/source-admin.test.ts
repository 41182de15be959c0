import { expect } from 'chai';
import type { Operation, PlatformError } from '../../../../kernel/index.ts';
import { createSourceAdmin, findSource } from '../../../../plugins/ingestion/sources/source-admin.ts';
import type { NewSource } from '../../../../plugins/ingestion/sources/settings/schema.ts';

const at = (ms: number): string => new Date(ms).toISOString();

/** An administration over a registry that holds one source, with what it wrote and told. */
function opened(record: object = {}, deleted = false, lost = 0) {
  const said: string[] = [];
  const written: Operation[] = [];
  const updated_at = new Date(5000).toISOString();
  const source = { record: { source_id: 'src_1', name: 'n', vendor: 'github', ...record }, updated_at, deleted };
  const registry = {
    refresh: () => said.push('refreshed'),
    byId: (id: string) => (id === 'src_1' ? source : undefined),
  };
  const store = {
    sealer: { seal: (_: string, bytes: Uint8Array) => bytes },
    write: async (operations: readonly Operation[]) => {
      written.push(...operations);
      said.push(...operations.map(({ name }) => name));
      return operations.map(({ name }) => (name === 'changeSource' ? Number(written.length > lost) : 7));
    },
    peers: { everywhere: async () => void said.push('everywhere') },
  };
  const options = {
    ...{ store, registry, ids: () => 'src_1', clock: { now: () => 1000, monotonic: () => 0 } },
    ...{
      reads: { secretsOf: () => [{ version: 1 }, { version: 2 }] },
      changed: (id: string) => said.push(`changed ${id}`),
    },
  };
  return {
    admin: createSourceAdmin(options as never),
    registry: registry as never,
    source: source as never,
    said,
    written,
  };
}
const pointersOf = (error: unknown): string =>
  (error as PlatformError).extensions.errors?.map(({ pointer }) => pointer).join(' ') ?? String(error);
const create = (wish: object): Promise<string> =>
  opened(wish)
    .admin.create({ name: 'n', ...wish } as NewSource)
    .then(({ secret }) => `made ${secret === undefined ? 'without' : 'with'} a secret`, pointersOf);

describe('the administration of sources', () => {
  const own = 'x'.repeat(16);
  const rows: readonly (readonly [object, string])[] = [
    [{ vendor: 'github' }, 'made with a secret'],
    [{ vendor: 'github', auth: { scheme: 'url' } }, 'made without a secret'],
    [{ vendor: 'github', auth: { scheme: 'basic' } }, '#/auth/scheme'],
    [{ vendor: 'generic', auth: { signed: 'ts.body' } }, '#/auth/timestamp_header'],
    [{ vendor: 'generic', auth: { signed: 'ts.body', timestamp_header: 'x-time' } }, 'made with a secret'],
    [{ vendor: 'generic', auth: { signed: 'body' } }, 'made with a secret'],
    [{ vendor: 'generic', delivery_header: 'Cookie' }, '#/delivery_header'],
    [{ vendor: 'generic', delivery_header: 'x-id' }, 'made with a secret'],
    [{ vendor: 'generic', auth: { scheme: 'header', header: 'X-Key' }, delivery_header: 'x-kEY' }, '#/delivery_header'],
    [
      { vendor: 'generic', auth: { scheme: 'bearer', header: 'X-Key' }, delivery_header: 'x-key' },
      'made with a secret',
    ],
    [{ vendor: 'github', auth: { scheme: 'basic' }, delivery_header: 'Cookie' }, '#/auth/scheme #/delivery_header'],
    [{ vendor: 'github', secret: 'of any length' }, 'made with a secret'],
    [{ vendor: 'github', auth: { scheme: 'url' }, secret: own }, '#/secret'],
    [{ vendor: 'generic', auth: { scheme: 'header' }, secret: own }, 'made with a secret'],
    [{ vendor: 'generic', auth: { scheme: 'header' }, secret: own.slice(1) }, '#/secret'],
    [{ vendor: 'generic', auth: { scheme: 'header' }, secret: `${own} x` }, '#/secret'],
    [{ vendor: 'standard-webhooks', secret: own }, '#/secret'],
    [{ vendor: 'standard-webhooks', secret: `whsec_${Buffer.alloc(24).toString('base64')}` }, 'made with a secret'],
    [{ vendor: 'standard-webhooks', secret: `whpk_${Buffer.alloc(32).toString('base64')}` }, 'made with a secret'],
  ];
  for (const [wish, expected] of rows)
    it(`answers ${JSON.stringify(wish)} with ${expected}`, async () => {
      expect(await create(wish)).to.equal(expected);
    });

  it('writes a source before it takes effect', async () => {
    const { admin, said } = opened();
    const { secret, token } = await admin.create({ name: 'n', vendor: 'github', secret: 'given' });
    expect([secret, token.length]).to.deep.equal(['given', 43]);
    expect(said).to.deep.equal(['addSource', 'addSecret', 'refreshed', 'changed src_1', 'everywhere']);
  });

  it('changes, readdresses and removes a source', async () => {
    const { admin, said, source, written } = opened();
    await admin.change(source, { name: 'other' });
    expect(written[0]?.args).to.deep.nested.include({ 'record.name': 'other', 'record.vendor': 'github' });
    await admin.readdress(source);
    await admin.remove(source);
    const after = ['refreshed', 'changed src_1', 'everywhere'];
    expect(said).to.deep.equal(['changeSource', ...after, 'readdressSource', ...after, 'removeSource', ...after]);
  });

  it('makes a change to what another node has made of the source meanwhile', async () => {
    const { admin, said, source, written } = opened({}, false, 1);
    await admin.change(source, { name: 'other' });
    expect(said.slice(0, 3)).to.deep.equal(['changeSource', 'refreshed', 'changeSource']);
    expect(written[0]?.args).to.include({ since: at(5000), at: at(5001) });
  });

  it('refuses a change that makes a source contradict itself', async () => {
    const { admin, source, said } = opened();
    const refused = await admin.change(source, { auth: { scheme: 'basic' } }).catch(pointersOf);
    expect([refused, said]).to.deep.equal(['#/auth/scheme', []]);
  });

  it('adds a secret, and says from when on it serves and the others do not', async () => {
    const { admin, source, written, said } = opened();
    expect(await admin.addSecret(source, { secret: 'given' })).to.deep.equal({ version: 7, secret: 'given' });
    expect(written[0]?.args).to.deep.include({ source_id: 'src_1', not_before: at(1000), created_at: at(1000) });
    expect(written[0]?.args).to.not.have.any.keys('not_after', 'retire_others_at', 'secret');
    await admin.addSecret(source, { not_before: at(2), not_after: at(9), retire_others_after_s: 60 });
    expect(written[1]?.args).to.deep.include({ not_before: at(2), not_after: at(9), retire_others_at: at(61_000) });
    expect(said.slice(0, 3)).to.deep.equal(['addSecret', 'refreshed', 'changed src_1']);
  });

  it('adds no secret to a source that has none, and none that cannot serve', async () => {
    const none = opened({ auth: { scheme: 'url' } });
    const refused = await none.admin.addSecret(none.source, {}).catch((error: PlatformError) => error.code);
    expect(refused).to.equal('secret_limit');
    const basic = opened({ vendor: 'generic', auth: { scheme: 'basic' } });
    expect(await basic.admin.addSecret(basic.source, { secret: 'short' }).catch(pointersOf)).to.equal('#/secret');
    expect([...none.said, ...basic.said]).to.deep.equal([]);
  });

  it('removes a secret that there is', async () => {
    const { admin, source, said } = opened();
    await admin.removeSecret(source, 2);
    expect(said).to.deep.equal(['removeSecret', 'refreshed', 'changed src_1', 'everywhere']);
    const missing = await admin.removeSecret(source, 3).catch((error: PlatformError) => error.code);
    expect([missing, said.length]).to.deep.equal(['source_not_found', 4]);
  });

  it('finds a source that is not deleted', () => {
    const { registry, source } = opened();
    expect(findSource(registry, 'src_1')).to.equal(source);
    for (const [one, id] of [
      [registry, 'src_2'],
      [opened({}, true).registry, 'src_1'],
    ] as const)
      expect(() => findSource(one, id)).to.throw(id);
  });
});
