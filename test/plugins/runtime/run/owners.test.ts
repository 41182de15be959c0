import { expect } from 'chai';
import type { Fact } from '../../../../kernel/fact.ts';
import { operation, type Store } from '../../../../kernel/index.ts';
import { askingOf } from '../../../../plugins/runtime/journal/owner.ts';
import journalStore from '../../../../plugins/runtime/journal/store.ts';
import type { Swap } from '../../../../plugins/runtime/tables/swap-record.ts';
import { recoverRuns, type RecoverOptions } from '../../../../plugins/runtime/recovery/run-recovery.ts';
import limitsStore from '../../../../plugins/runtime/run/limits/store.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { settleSwaps, type SettleOptions } from '../../../../plugins/runtime/recovery/swap-recovery.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { NodeIdentity } from '../../../../kernel/store/contract.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { Stores } from '../../../helpers/stores/open.ts';
import { readsNow } from '../../../helpers/reads.ts';
import type { RunFact, SwapFact } from '../../../../plugins/runtime/facts/facts.ts';
import queueStore from '../../../../plugins/runtime/queue/store.ts';

const at = '2026-01-01T00:00:00.000Z';
const clock = { now: () => Date.parse(at), monotonic: () => 0 };
const owners = {
  former: { node: 'eins', incarnation: '1' },
  present: { node: 'eins', incarnation: '2' },
  other: { node: 'zwei', incarnation: 'other' },
} as const;
const names = Object.keys(owners) as (keyof typeof owners)[];

describe('what processes left in a store', () => {
  const stores = new Stores();
  let real: OpenStore;
  let receipts: string[];

  beforeEach(async () => {
    receipts = [];
    real = await stores.open(stores.folder(), {
      modules: [runtimeStore, journalStore, queueStore, limitsStore].map((module) => ({ module })),
    });
    for (const name of names) await leave(name);
  });
  afterEach(() => stores.tidy());

  const claimOf = (name: keyof typeof owners, subject: string) => ({
    ...{ principal: 'prn_1', method: 'POST', path: '/x', key: subject, fingerprint: 'f', subject, expires_at: 9e12 },
    ...owners[name],
  });
  const swapOf = (name: keyof typeof owners): Swap => ({
    ...{ swap_id: `swp_${name}`, orb_id: `${name}.b@1.0.0`, from: 'a', to: 'b', generation: 1, state: 'opening' },
    ...{ started_at: at, ...owners[name] },
  });

  /** A run with its intent and key, a key without an effect yet, and a swap that has not switched. */
  async function leave(name: keyof typeof owners): Promise<void> {
    const run_id = `run_${name}`;
    const facts = { attempts: [], outcome: 'unknown', schema: {}, principal: 'prn_1' };
    const fact = JSON.stringify({
      ...{
        kind: 'run',
        run_id,
        tenant: 'default',
        orbiset_id: 'default',
        orb_id: 'a.b@1.0.0',
        mode: 'live',
        inputs: '{}',
      },
      ...{ started_at: at, finished_at: at, execution_ms: 0, status: 'indeterminate', reason: 'interrupted', facts },
    });
    const intent = { run_id, fact, ...owners[name] };
    await real.write([operation(journalStore, 'claimRun', { claim: claimOf(name, run_id), intent, now: 0 })]);
    await real.write([operation(journalStore, 'claimKey', { claim: claimOf(name, `idle_${name}`), now: 0 })]);
    await real.write([operation(runtimeStore, 'putSwap', swapOf(name))]);
  }

  function optionsOf(asking: { readonly name: string; readonly incarnation: string }, shared: boolean) {
    const store: Store = { ...real, node: asking, shared };
    const attest = async ({ fact, operations }: Fact<RunFact | SwapFact>) => {
      const subject = 'swap_id' in fact ? fact.swap_id : fact.run_id;
      await store.write(operations(`rec_${subject}`, { receipt_id: `rec_${subject}` } as never));
      receipts.push(subject);
      return {};
    };
    return { store, hooks: { attest }, clock, log: silentLog, bindings: { find: () => undefined } };
  }

  async function adopt(name: string, ended: NodeIdentity): Promise<void> {
    const options = { ...optionsOf({ name, incarnation: '7' }, true), ended };
    const open = readsNow(real, runtimeStore).openSwaps(askingOf(options.store, ended));
    await settleSwaps(open, { ...options, opened: () => undefined } as unknown as SettleOptions);
    await recoverRuns(options as unknown as RecoverOptions, ended);
  }

  async function start(name: string, incarnation: string, shared: boolean): Promise<void> {
    const options = optionsOf({ name, incarnation }, shared);
    const open = readsNow(real, runtimeStore).openSwaps(options.store);
    await settleSwaps(open, { ...options, opened: () => undefined } as unknown as SettleOptions);
    await recoverRuns(options as unknown as RecoverOptions);
  }

  /** What nobody has settled, by the names of its owners. */
  function open() {
    const everybody = { node: { name: 'drei', incarnation: '9' }, shared: false };
    const { openKeys, openRuns } = readsNow(real, journalStore);
    const namesOf = (ids: readonly string[]) => ids.map((id) => id.replace(/^[a-z]+_/, '')).sort();
    return {
      runs: namesOf(openRuns(everybody).map(({ run_id }) => run_id)),
      keys: namesOf(openKeys(everybody).map(({ subject }) => subject)),
      swaps: namesOf(
        readsNow(real, runtimeStore)
          .openSwaps(everybody)
          .map(({ swap_id }) => swap_id),
      ),
    };
  }

  it('is settled by a start of the same node alone, where others share the store', async () => {
    await start('eins', '2', true);
    expect(receipts).to.deep.equal(['swp_former', 'run_former']);
    const left = ['other', 'present'];
    expect(open()).to.deep.equal({ runs: left, keys: ['other', 'other', 'present', 'present'], swaps: left });
  });

  it('is settled by another node when its process has ended, and nothing else is', async () => {
    await real.write([operation(journalStore, 'freeKey', claimOf('other', 'run_other'))]);
    // A run that waited: the process that accepted it has its key, another one its intent.
    const claim = { ...claimOf('present', 'run_other') };
    await real.write([operation(journalStore, 'claimKey', { claim, now: 0 })]);
    await adopt('drei', { name: 'zwei', incarnation: 'other' });
    expect(receipts).to.deep.equal(['swp_other', 'run_other']);
    const left = ['former', 'present'];
    expect(open()).to.deep.equal({ runs: left, keys: ['former', 'former', 'present', 'present'], swaps: left });
  });

  it('is all that of the one process that can have the store open, whatever it was called', async () => {
    await start('drei', '8', false);
    expect(receipts).to.have.members(names.flatMap((name) => [`swp_${name}`, `run_${name}`]));
    expect(open()).to.deep.equal({ runs: [], keys: [], swaps: [] });
  });

  it('gets one receipt when two processes settle it at once', async () => {
    await Promise.allSettled([start('eins', '2', true), start('eins', '3', true)]);
    expect(receipts).to.include.members(['swp_former', 'run_former']);
    expect(receipts).to.have.length(new Set(receipts).size);
  });
});
