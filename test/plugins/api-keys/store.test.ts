import { expect } from 'chai';
import { operation, PlatformError, type Store } from '../../../kernel/index.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import type { KeySummary } from '../../../plugins/api-keys/key.ts';
import apiKeysStore from '../../../plugins/api-keys/store.ts';
import { tokenDigest } from '../../../plugins/api-keys/token.ts';
import { holdClock, makeDir, openKeyStore, removeDir } from './started.ts';
import { readsNow } from '../../helpers/reads.ts';

const at = '2026-11-21T12:00:00.000Z';
const id = (number: number): string => String(number).padStart(26, '0');

function keyNumber(number: number, given: Partial<KeySummary> = {}): KeySummary {
  return {
    key_id: `key_${id(number)}`,
    principal: `prn_${id(number)}`,
    principal_name: `principal ${number}`,
    tenant: 'default',
    name: `key ${number}`,
    prefix: 'orb_live_ab12…',
    scopes: ['*'],
    mode: 'live',
    created_at: at,
    ...given,
  };
}

function create(store: Store, key: KeySummary, by?: number): Promise<unknown> {
  const asking = by === undefined ? {} : { by: `key_${id(by)}` };
  return store.write([operation(apiKeysStore, 'create', { key, hash: tokenDigest(key.key_id), ...asking })]);
}

function revoke(store: Store, number: number, when = at): Promise<unknown> {
  return store.write([operation(apiKeysStore, 'revoke', { key_id: `key_${id(number)}`, at: when })]);
}

async function codeOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return error instanceof PlatformError ? error.code : String(error);
  }
}

describe('api-keys/store', () => {
  let dir: string;
  let store: OpenStore;
  let reads: ReturnType<typeof apiKeysStore.read>;

  beforeEach(async () => {
    dir = makeDir();
    store = await openKeyStore(dir, holdClock());
    reads = readsNow(store, apiKeysStore);
  });

  afterEach(async () => {
    await store.close();
    removeDir(dir);
  });

  it('gives back a key as it was created, with its principal', async () => {
    const full = keyNumber(1, {
      scopes: ['orbs:read', 'keys:manage'],
      mode: 'test',
      expires_at: at,
      created_by: 'prn_x',
    });
    expect(reads.any()).to.equal(false);
    await create(store, full);
    expect(reads.any()).to.equal(true);
    expect(reads.find(full.key_id)).to.deep.equal(full);
    expect(reads.findPrincipal(full.principal)).to.deep.equal({
      id: full.principal,
      name: 'principal 1',
      tenant: 'default',
    });
    expect(reads.unrevoked().map(({ key }) => key)).to.deep.equal([full]);
    expect(Buffer.from(reads.unrevoked()[0]?.hash ?? []).equals(tokenDigest(full.key_id))).to.equal(true);
  });

  it('adds a key to a principal that exists and leaves that as it was', async () => {
    await create(store, keyNumber(1));
    await create(store, keyNumber(2, { principal: `prn_${id(1)}`, principal_name: 'another name' }));
    expect(reads.ofPrincipal(`prn_${id(1)}`)).to.have.length(2);
    expect(reads.findPrincipal(`prn_${id(1)}`)?.name).to.equal('principal 1');
  });

  it('leaves no principal behind when the key cannot be stored', async () => {
    await create(store, keyNumber(1));
    const doubled = { key: keyNumber(2), hash: tokenDigest(`key_${id(1)}`) };
    expect(await codeOf(store.write([operation(apiKeysStore, 'create', doubled)]))).to.equal('internal');
    expect(reads.findPrincipal(`prn_${id(2)}`)).to.equal(undefined);
  });

  it('lists newest first, by tenant and by page', async () => {
    for (const number of [1, 2, 3, 4])
      await create(store, keyNumber(number, { tenant: number === 3 ? 'acme' : 'default' }));
    const names = (page: Parameters<typeof reads.list>[0]) => reads.list(page).map(({ name }) => name);
    expect(names({ limit: 10 })).to.deep.equal(['key 4', 'key 3', 'key 2', 'key 1']);
    expect(names({ limit: 2 })).to.deep.equal(['key 4', 'key 3']);
    expect(names({ limit: 2, after: `key_${id(3)}` })).to.deep.equal(['key 2', 'key 1']);
    expect(names({ limit: 10, tenant: 'acme' })).to.deep.equal(['key 3']);
    expect(names({ limit: 10, tenant: 'default', after: `key_${id(4)}` })).to.deep.equal(['key 2', 'key 1']);
  });

  it('revokes a key once and keeps the time of the first revocation', async () => {
    await create(store, keyNumber(1));
    await create(store, keyNumber(2));
    await revoke(store, 1, '2026-11-21T13:00:00.000Z');
    await revoke(store, 1, '2026-11-21T14:00:00.000Z');
    expect(reads.find(`key_${id(1)}`)?.revoked_at).to.equal('2026-11-21T13:00:00.000Z');
    expect(reads.unrevoked().map(({ key }) => key.name)).to.deep.equal(['key 2']);
  });

  it('takes no key that a revoked key asks for', async () => {
    for (const number of [1, 2]) await create(store, keyNumber(number));
    await create(store, keyNumber(3), 2);
    const codes = await Promise.all([codeOf(revoke(store, 2)), codeOf(create(store, keyNumber(4), 2))]);
    expect(codes).to.deep.equal([undefined, 'unauthenticated']);
    expect(reads.find(`key_${id(4)}`)).to.equal(undefined);
    expect(reads.findPrincipal(`prn_${id(4)}`)).to.equal(undefined);
    await create(store, keyNumber(5), 1);
    // The caller may be known by another plugin than this one.
    await create(store, keyNumber(6), 99);
    expect(reads.unrevoked()).to.have.length(4);
  });

  it('knows no key that was never created', async () => {
    expect(await codeOf(revoke(store, 9))).to.equal('key_not_found');
  });

  it('notes the last use; a later one of another node stays, and one of a clock that ran ahead does not', async () => {
    const key_id = `key_${id(1)}`;
    await create(store, keyNumber(1));
    const use = async (time: string): Promise<string | undefined> => {
      const [at, until] = [`2026-11-21T${time}.000Z`, new Date(Date.parse(`2026-11-21T${time}.000Z`) + 60_000)];
      await store.write([operation(apiKeysStore, 'touch', [{ key_id, at, until: until.toISOString() }])]);
      return reads.find(key_id)?.last_used_at?.slice(11, 19);
    };
    expect(await use('13:00:00')).to.equal('13:00:00');
    expect(await use('13:00:40')).to.equal('13:00:40');
    expect(await use('13:00:20'), 'committed behind the later one').to.equal('13:00:40');
    expect(await use('12:00:00'), 'the clock was set').to.equal('12:00:00');
  });

  describe('the last admin key', () => {
    it('stays', async () => {
      await create(store, keyNumber(1));
      expect(await codeOf(revoke(store, 1))).to.equal('last_admin_key');
      expect(reads.find(`key_${id(1)}`)).not.to.have.property('revoked_at');
    });

    it('stays when two callers revoke the last two at once: exactly one succeeds', async () => {
      await create(store, keyNumber(1));
      await create(store, keyNumber(2));
      const codes = await Promise.all([codeOf(revoke(store, 1)), codeOf(revoke(store, 2))]);
      expect(codes.filter((code) => code === undefined)).to.have.length(1);
      expect(codes).to.include('last_admin_key');
      expect(reads.unrevoked()).to.have.length(1);
    });

    it('stays when one write revokes the last two: neither is revoked', async () => {
      await create(store, keyNumber(1));
      await create(store, keyNumber(2));
      const both = [1, 2].map((number) => operation(apiKeysStore, 'revoke', { key_id: `key_${id(number)}`, at }));
      expect(await codeOf(store.write(both))).to.equal('last_admin_key');
      expect(reads.unrevoked()).to.have.length(2);
    });

    const others: readonly { readonly name: string; readonly other: Partial<KeySummary> }[] = [
      { name: 'a test key', other: { mode: 'test' } },
      { name: 'a key that expires now', other: { expires_at: at } },
      { name: 'an expired key', other: { expires_at: '2026-11-20T12:00:00.000Z' } },
      { name: 'a key without *', other: { scopes: ['keys:manage'] } },
    ];
    for (const { name, other } of others)
      it(`is not replaced by ${name}, which itself can be revoked`, async () => {
        await create(store, keyNumber(1));
        await create(store, keyNumber(2, other));
        expect(await codeOf(revoke(store, 1))).to.equal('last_admin_key');
        expect(await codeOf(revoke(store, 2))).to.equal(undefined);
      });

    it('goes when another live one is there, whatever else that holds', async () => {
      await create(store, keyNumber(1));
      await create(store, keyNumber(2, { scopes: ['orbs:read', '*'], expires_at: '2026-11-21T12:00:00.001Z' }));
      expect(await codeOf(revoke(store, 1))).to.equal(undefined);
    });
  });
});
