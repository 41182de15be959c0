import { expect } from 'chai';
import { tiers, type Tier } from '../../../../plugins/ledger/tier/tiers.ts';
import { newOrb } from '../../../../plugins/ledger/projection/orb.ts';
import { newMachine } from '../../../../plugins/ledger/tier/machine.ts';
import { nextOf } from '../../../../plugins/ledger/reputation/view.ts';

describe('the next tier', () => {
  const next = (tier: Tier) =>
    nextOf({ ...newOrb('a.b@1.0.0'), machine: { ...newMachine, tier } }, 'single-org', []).next_tier?.tier;

  it('is the next that can be reached: there is none after gold, since platinum needs a witness', () => {
    expect(tiers.map(next)).to.deep.equal(['bronze', 'silver', 'gold', undefined, undefined]);
  });
});
