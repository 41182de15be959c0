import { expect } from 'chai';
import type { Fact } from '../../../../kernel/fact.ts';
import type { Operation } from '../../../../kernel/index.ts';
import type { Swap, SwapState } from '../../../../plugins/runtime/tables/swap-record.ts';
import { settleSwaps, type SettleOptions } from '../../../../plugins/runtime/recovery/swap-recovery.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Receipt, SwapFact } from '../../../../plugins/runtime/facts/facts.ts';

const swap = (swap_id: string, state: SwapState): Swap => ({
  ...{ swap_id, orb_id: 'a.b@1.0.0', from: 'a', to: 'b', generation: 2, state },
  started_at: '2026-01-01T00:00:00.000Z',
});

interface Settled {
  readonly facts: readonly SwapFact[];
  /** With a receipt, and without one. */
  readonly attested: readonly Operation[];
  readonly written: readonly Operation[];
}

/** Settles swaps; the first generation alone is known, and a caller's key began the swap swp_1. */
async function settled(...open: readonly Swap[]): Promise<Settled> {
  const facts: SwapFact[] = [];
  const attested: Operation[] = [];
  const written: Operation[] = [];
  const key = { principal: 'prn_1', method: 'POST', path: '/x', key: 'k', fingerprint: 'f', expires_at: 1 };
  await settleSwaps(open, {
    store: {
      reads: () => ({ openKeys: () => [{ ...key, subject: 'swp_1', answer: null }] }),
      write: async (operations: readonly Operation[]) => void written.push(...operations),
    },
    hooks: {
      attest: async ({ fact, operations }: Fact<SwapFact>) => {
        facts.push(fact);
        attested.push(...operations('rec_1', {} as Receipt));
      },
    },
    clock: { now: () => Date.parse('2026-01-01T00:00:01.000Z') },
    log: silentLog,
    opened: (_: string, number: number) =>
      number === 2 ? { adapter: 'record/local', config_digest: 'sha256:2' } : undefined,
  } as unknown as SettleOptions);
  return { facts, attested, written };
}

describe('a swap that a crash left open', () => {
  it('and that had switched is completed, without another receipt', async () => {
    const { attested, facts, written } = await settled(swap('swp_1', 'draining'));
    expect(written.map(({ name, args }) => [name, args])).to.deep.equal([
      ['moveSwap', { swap_id: 'swp_1', state: 'completed' }],
    ]);
    expect([facts, attested]).to.deep.equal([[], []]);
  });

  it('and that had not switched has failed, interrupted, and says so to the key that began it', async () => {
    const { attested, facts, written } = await settled(swap('swp_1', 'opening'));
    expect(written).to.deep.equal([]);
    expect(facts.map(({ swap_id, at, facts: said }) => ({ swap_id, at, ...said }))).to.deep.equal([
      {
        ...{ swap_id: 'swp_1', at: '2026-01-01T00:00:01.000Z', from: 'a', to: 'b', generation: 2 },
        ...{ started_at: '2026-01-01T00:00:00.000Z', state: 'failed', reason: 'interrupted' },
        ...{ adapter: 'record/local', config_digest: 'sha256:2' },
      },
    ]);
    expect(attested.map(({ name }) => name)).to.deep.equal(['interruptSwap', 'finishKey']);
    expect(attested[0]?.args).to.deep.equal({ swap_id: 'swp_1', orb_id: 'a.b@1.0.0', receipt_id: 'rec_1' });
    const { answer, ...named } = attested[1]?.args as { readonly answer: string; readonly key: string };
    expect(JSON.parse(answer)).to.deep.include({ code: 'probe_failed', extensions: { swap_id: 'swp_1' } });
    expect(named).to.include({ key: 'k', subject: 'swp_1', fingerprint: 'f' });
  });

  it('is settled beside the others, though its generation is unknown and it has no key', async () => {
    const unknown = { ...swap('swp_3', 'opening'), generation: 9 };
    const { attested, facts, written } = await settled(swap('swp_2', 'draining'), unknown);
    expect([written.length, attested.map(({ name }) => name)]).to.deep.equal([1, ['interruptSwap']]);
    expect(facts[0]?.facts).to.include({ adapter: 'unknown', config_digest: `sha256:${'0'.repeat(64)}` });
  });
});
