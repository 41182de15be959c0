import { expect } from 'chai';
import { operation, PlatformError, timestamp } from '../../../../kernel/index.ts';
import { openRegistry } from '../../../../plugins/ingestion/sources/registry.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { openYard, type Yard } from '../signals/yard.ts';
import { readsNow } from '../../../helpers/reads.ts';

describe('the sources in the store', () => {
  let yard: Yard;
  let source_id: string;
  beforeEach(async () => {
    yard = await openYard();
    source_id = await yard.source();
  });
  afterEach(() => yard.close());

  const at = (second: number): string => timestamp(Date.UTC(2026, 10, 21) + second * 1000);
  const limited = (error: unknown): string => (error instanceof PlatformError ? error.code : String(error));
  const add = (created: number, more: { readonly not_after?: string; readonly retire_others_at?: string } = {}) => {
    const sealed = yard.store.sealer.seal('sources', Buffer.from(`made at ${created}`));
    const secret = { source_id, sealed, created_at: at(created), not_before: at(created), ...more };
    return yard.store.write([operation(ingestionStore, 'addSecret', secret)]).then(([version]) => version, limited);
  };
  const remove = (version: number, second: number) =>
    yard.store
      .write([operation(ingestionStore, 'removeSecret', { source_id, version, at: at(second) })])
      .then(([removed]) => removed, limited);
  const ends = () =>
    readsNow(yard.store, ingestionStore)
      .sources.secretsOf(source_id)
      .map(({ version, not_after }) => [version, not_after]);

  it('have three secrets at most that are active or to come: one that has ended makes room at that moment', async () => {
    expect([await add(0, { not_after: at(10) }), await add(1), await add(2)]).to.deep.equal([1, 2, 3]);
    expect([await add(9.999), await add(10)]).to.deep.equal(['secret_limit', 4]);
  });

  it('let the secrets that serve go when a new one takes their place, and none later than it would have gone', async () => {
    await add(0, { not_after: at(10) });
    await add(1);
    await add(2, { retire_others_at: at(20) });
    expect(ends()).to.deep.equal([
      [3, undefined],
      [2, at(20)],
      [1, at(10)],
    ]);
  });

  it('keep the last secret: one that ends at that moment is no other', async () => {
    await add(0);
    expect(await remove(1, 1)).to.equal('secret_limit');
    await add(2, { not_after: at(10) });
    expect(await remove(1, 10)).to.equal('secret_limit');
    expect(await remove(1, 9)).to.equal(1);
    expect(await remove(2, 9)).to.equal('secret_limit');
  });

  it('lose a secret once, for good', async () => {
    await add(0);
    await add(1);
    expect([await remove(1, 5), await remove(1, 6)]).to.deep.equal([1, 0]);
    expect(ends()).to.deep.equal([[2, undefined]]);
  });

  it('accept the secrets of the moment, the newest first', async () => {
    await add(0);
    await add(10, { retire_others_at: at(20) });
    let now = 0;
    const clock = { now: () => Date.UTC(2026, 10, 21) + now * 1000, monotonic: () => now };
    const registry = await openRegistry(readsNow(yard.store, ingestionStore).sources, yard.store.sealer, clock);
    const texts = (second: number) => {
      now = second;
      return registry.secretsOf(source_id).map(({ text }) => text);
    };
    expect(texts(19.999)).to.deep.equal(['made at 10', 'made at 0']);
    expect(texts(20)).to.deep.equal(['made at 10']);
  });

  it('stay as they are once they are deleted', async () => {
    const record = { source_id, name: 'other', vendor: 'alertmanager' as const };
    const [, ...changed] = await yard.store.write([
      operation(ingestionStore, 'removeSource', { source_id, at: at(1) }),
      operation(ingestionStore, 'changeSource', { record, since: at(0), at: at(2) }),
      operation(ingestionStore, 'readdressSource', { source_id, token_hash: new Uint8Array([1]), at: at(2) }),
    ]);
    expect(changed).to.deep.equal([0, 0]);
  });
});
