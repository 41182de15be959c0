import { expect } from 'chai';
import { operation, PlatformError } from '../../../kernel/index.ts';
import type { Swap } from '../../../plugins/runtime/tables/swap-record.ts';
import runtimeStore, { type RunFilter, type RunRow } from '../../../plugins/runtime/store.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import { Stores } from '../../helpers/stores/open.ts';
import { readsNow } from '../../helpers/reads.ts';

const stores = new Stores();
const open = (): Promise<OpenStore> => stores.open(stores.folder(), { modules: [{ module: runtimeStore }] });
const at = '2026-01-01T00:00:00.000Z';

const swap = (swap_id: string, more: Partial<Swap> = {}): Swap => ({
  ...{ swap_id, orb_id: 'a.b@1.0.0', from: 'a', from_generation: 1, to: 'b', generation: 2 },
  ...{ state: 'draining', started_at: at, switched_at: at },
  ...more,
});

const run = (run_id: string, more: Partial<RunRow> = {}): RunRow => ({
  ...{ run_id, tenant: 'default', orbiset_id: 'default', orb_id: 'a.b@1.0.0', principal: 'prn_1', status: 'completed' },
  ...{ reason: null, mode: 'live', provider: 'a', started_at: at, finished_at: at, execution_ms: 1 },
  ...{ receipt_id: `rec_${run_id}`, resolution: null, silent: null, key_id: null },
  ...more,
});

describe('the stored swaps', () => {
  let store: OpenStore;
  beforeEach(async () => (store = await open()));
  afterEach(() => stores.tidy());

  const put = async (...swaps: Swap[]) => {
    for (const row of swaps) await store.write([operation(runtimeStore, 'putSwap', row)]);
  };
  const move = (swap_id: string, state: Swap['state']) =>
    store.write([operation(runtimeStore, 'moveSwap', { swap_id, state })]);

  it('one that was rolled back stays so when its own drain ends only then', async () => {
    await put(swap('swp_1'));
    await move('swp_1', 'rolled_back');
    await move('swp_1', 'completed');
    expect(readsNow(store, runtimeStore).findSwap('swp_1')?.state).to.equal('rolled_back');
  });

  it('are moved to another state one by one', async () => {
    await put(swap('swp_1'), swap('swp_2'));
    await move('swp_2', 'completed');
    const { findSwap } = readsNow(store, runtimeStore);
    expect(['swp_1', 'swp_2', 'swp_3'].map((id) => findSwap(id)?.state)).to.deep.equal([
      'draining',
      'completed',
      undefined,
    ]);
  });

  it('are stored whole once more as they go on', async () => {
    await put(swap('swp_1'), swap('swp_1', { state: 'completed', receipt_id: 'rec_1' }));
    expect(readsNow(store, runtimeStore).findSwap('swp_1')).to.include({ state: 'completed', receipt_id: 'rec_1' });
  });

  it('are open while they prove a provider or drain, oldest first', async () => {
    const states = ['draining', 'completed', 'opening', 'failed', 'rolled_back'] as const;
    await put(...states.map((state, index) => swap(`swp_${9 - index}`, { state })));
    expect(
      readsNow(store, runtimeStore)
        .openSwaps({ node: { name: 'n', incarnation: 'i' }, shared: false })
        .map(({ swap_id }) => swap_id),
    ).to.deep.equal(['swp_7', 'swp_9']);
  });

  const other = 'c.d@1.0.0';
  const pages: readonly {
    readonly name: string;
    readonly list: { readonly orb?: string; readonly before?: string; readonly limit?: number };
    readonly is: readonly number[];
  }[] = [
    { name: 'all', list: {}, is: [4, 3, 2, 1] },
    { name: 'so many', list: { limit: 3 }, is: [4, 3, 2] },
    { name: 'those before one', list: { before: 'swp_3' }, is: [2, 1] },
    { name: 'those of an Orb', list: { orb: other }, is: [4, 2] },
    { name: 'so many of an Orb', list: { orb: other, limit: 1 }, is: [4] },
    { name: 'those of an Orb before one', list: { orb: other, before: 'swp_4' }, is: [2] },
  ];
  for (const { name, list, is } of pages)
    it(`are listed newest first: ${name}`, async () => {
      await put(swap('swp_1'), swap('swp_2', { orb_id: other }), swap('swp_3'), swap('swp_4', { orb_id: other }));
      const { items } = readsNow(store, runtimeStore).listSwaps({
        orb_id: list.orb,
        before: list.before,
        limit: list.limit ?? 9,
      });
      expect(items.map(({ swap_id }) => swap_id)).to.deep.equal(is.map((number) => `swp_${number}`));
    });

  it('bind an Orb to the provider of the last one', async () => {
    for (const [orb_id, provider] of [
      ['a.b@1.0.0', 'a'],
      ['c.d@1.0.0', 'c'],
      ['a.b@1.0.0', 'b'],
    ] as const)
      await store.write([
        operation(runtimeStore, 'bindProvider', { orb_id, provider, swap_id: 'swp_1', bound_at: at }),
      ]);
    expect([...readsNow(store, runtimeStore).swappedProviders()]).to.have.deep.members([
      ['a.b@1.0.0', 'b'],
      ['c.d@1.0.0', 'c'],
    ]);
  });
});

describe('the stored generations', () => {
  afterEach(() => stores.tidy());

  it('are numbered per Orb and found by Orb and number', async () => {
    const store = await open();
    const numbers: number[] = [];
    for (const [orb_id, adapter] of [
      ['a.b@1.0.0', 'one'],
      ['a.b@1.0.0', 'two'],
      ['c.d@1.0.0', 'three'],
    ] as const) {
      const opening = { orb_id, adapter, provider: 'p', config_digest: `sha256:${adapter}`, created_at: at };
      numbers.push(...(await store.write([operation(runtimeStore, 'openGeneration', opening)])));
    }
    expect(numbers).to.deep.equal([1, 2, 1]);
    const { findGeneration } = readsNow(store, runtimeStore);
    const found = [findGeneration('a.b@1.0.0', 2), findGeneration('a.b@1.0.0', 1), findGeneration('c.d@1.0.0', 1)];
    expect(found.map((row) => row?.adapter)).to.deep.equal(['two', 'one', 'three']);
    expect(findGeneration('c.d@1.0.0', 2)).to.equal(undefined);
  });
});

describe('the stored runs', () => {
  let store: OpenStore;
  beforeEach(async () => {
    store = await open();
    for (const row of [
      run('run_1', { status: 'indeterminate' }),
      run('run_2', { tenant: 'acme', status: 'indeterminate' }),
      run('run_3', { orb_id: 'c.d@1.0.0' }),
      run('run_4', { tenant: 'acme', orb_id: 'c.d@1.0.0', status: 'failed' }),
    ])
      await store.write([operation(runtimeStore, 'insertRun', row)]);
  });
  afterEach(() => stores.tidy());

  const resolve = (run_id: string) =>
    store
      .write([operation(runtimeStore, 'resolveRun', { run_id, status: 'failed', resolution: 'rec_9', silent: null })])
      .catch((error: unknown) => (error instanceof PlatformError ? error.code : error));

  it('settle one by one, once, and only while their outcome is unknown', async () => {
    expect(await resolve('run_1')).to.be.an('array');
    expect(await Promise.all(['run_1', 'run_3', 'run_0'].map(resolve))).to.deep.equal(
      Array.from({ length: 3 }, () => 'resolution_conflict'),
    );
    const { findRun } = readsNow(store, runtimeStore);
    const said = ['run_1', 'run_2', 'run_3'].map((id) => [findRun(id)?.status, findRun(id)?.resolution]);
    expect(said).to.deep.equal([
      ['failed', 'rec_9'],
      ['indeterminate', null],
      ['completed', null],
    ]);
  });

  const rows: readonly { readonly filter: Partial<RunFilter>; readonly is: readonly number[] }[] = [
    { filter: {}, is: [4, 3, 2, 1] },
    { filter: { limit: 3 }, is: [4, 3, 2] },
    { filter: { before: 'run_3' }, is: [2, 1] },
    { filter: { tenant: 'acme' }, is: [4, 2] },
    { filter: { orb_id: 'c.d@1.0.0' }, is: [4, 3] },
    { filter: { status: 'completed' }, is: [3] },
    { filter: { status: 'indeterminate' }, is: [2, 1] },
    { filter: { before: 'run_4', tenant: 'acme' }, is: [2] },
    { filter: { before: 'run_4', tenant: 'default', orb_id: 'a.b@1.0.0', status: 'indeterminate' }, is: [1] },
  ];
  for (const { filter, is } of rows)
    it(`are listed newest first by ${JSON.stringify(filter)}`, () => {
      const all = { tenant: undefined, status: undefined, orb_id: undefined, before: undefined, limit: 9 };
      const { items } = readsNow(store, runtimeStore).listRuns({ ...all, ...filter });
      expect(items.map(({ run_id }) => run_id)).to.deep.equal(is.map((number) => `run_${number}`));
    });
});
