import { expect } from 'chai';
import { operation } from '../../../kernel/index.ts';
import runtimeStore, { type SwapRow } from '../../../kernel/runtime/store.ts';
import { Stores } from '../../helpers/stores/open.ts';

describe('the stored swaps', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  it('one that was rolled back stays so when its own drain ends only then', async () => {
    const store = await stores.open(stores.folder(), { modules: [{ module: runtimeStore }] });
    const swap: SwapRow = {
      ...{ swap_id: 'swp_1', orb_id: 'a.b@1.0.0', from_provider: 'a', from_generation: 1, to_provider: 'b' },
      ...{ generation: 2, state: 'draining', rolls_back: null, reason: null, principal: null, receipt_id: null },
      ...{ started_at: '2026-01-01T00:00:00.000Z', switched_at: '2026-01-01T00:00:00.000Z' },
    };
    await store.write([operation(runtimeStore, 'putSwap', swap)]);
    await store.write([operation(runtimeStore, 'moveSwap', { swap_id: 'swp_1', state: 'rolled_back' })]);
    await store.write([operation(runtimeStore, 'moveSwap', { swap_id: 'swp_1', state: 'completed' })]);
    expect(store.reads(runtimeStore).findSwap('swp_1')?.state).to.equal('rolled_back');
  });
});
