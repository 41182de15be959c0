import { expect } from 'chai';
import type { OrbReputation } from '../../../../../plugins/ledger/contract.ts';
import { lifetimeAt, plan, type Situation } from '../../../../../plugins/ledger/certificate/issue/plan.ts';
import type { StoredCertificate } from '../../../../../plugins/ledger/certificate/issue/tables.ts';
import { origin } from '../signer.ts';
import { initial, orb } from '../world.ts';

const dayMs = 86_400_000;
const begin = Date.UTC(2026, 10, 21);
const publicUrl = 'https://orb.example';
const head = { origin, tree_size: 100, root_hash: '' };
const time = (day: number): string => new Date(begin + day * dayMs).toISOString();

/** A certificate that was issued on a day, for 30 days. */
const certificate = (id: string, day: number, more: Partial<StoredCertificate> = {}): StoredCertificate => ({
  ...{ id, orb_id: orb, tier: 'gold', kid: 'k1', valid_from: time(day), valid_until: time(day + 30) },
  ...{ suspended: false, revoked: false },
  // Only what the plan reads of it.
  document: {
    id: `${publicUrl}/certificates/${id}`,
    credentialSubject: { receiptLog: { origin, treeSize: 100, rootHash: '' } },
  } as StoredCertificate['document'],
  ...more,
});

/** What is to be done on a day; `held`: what the ledger says of the Orb. */
function steps(
  day: number,
  open: readonly StoredCertificate[],
  held: Partial<OrbReputation> = {},
  more: Partial<Situation> = {},
) {
  const snapshot = {
    day: '2026-11-20',
    digest: '',
    logs: [head],
    profile: 'multi-tenant',
    scoring_policy: { id: '', digest: '' },
  } as const;
  const found = plan({
    reputation: { ...initial(orb, snapshot), snapshot, tier: 'gold', tier_rank: 3, ...held },
    listing: { state: 'published' },
    keys: [{ kid: 'k1', since: { origin, index: 0 }, status: 'active' }],
    ...{ open, head, publicUrl, now: begin + day * dayMs, days: 30 },
    ...more,
  });
  return found.map((step) => (step.step === 'issue' ? `issue ${step.tier}` : `${step.step} ${step.id}`));
}

describe('what is to be done to the certificates of an Orb', () => {
  const suspended = { suspended: true, suspended_tier: 'gold', tier: 'none', tier_rank: 0 } as const;

  it('is nothing once it is done', () => {
    expect(steps(0, [certificate('a', 0)])).to.deep.equal([]);
    expect(steps(0, [certificate('a', 0)], suspended)).to.deep.equal(['suspend a']);
    expect(steps(0, [certificate('a', 0, { suspended: true })], suspended)).to.deep.equal([]);
    expect(steps(0, [certificate('a', 0, { suspended: true })])).to.deep.equal(['lift a']);
  });

  it('is a renewal after 23 of 30 days', () => {
    expect(steps(22, [certificate('a', 0)])).to.deep.equal([]);
    expect(steps(23, [certificate('a', 0)])).to.deep.equal(['issue gold']);
  });

  it('is a renewal before the end, whatever the number of days, and none right after one', () => {
    for (let days = 1; days <= 90; days += 1) {
      let newest = certificate('c', 0, { valid_until: time(lifetimeAt(begin, days)) });
      let issued = 0;
      for (let day = 0; day < 2 * days + 2; day += 0.25) {
        const now = begin + day * dayMs;
        if (steps(day, [newest], {}, { days }).length === 0) continue;
        issued += 1;
        expect(now, `${days} days`).to.be.below(Date.parse(newest.valid_until));
        const from = Math.floor(day);
        newest = certificate('c', from, { valid_until: time(from + lifetimeAt(now, days)) });
        expect(steps(day, [newest], {}, { days }), `${days} days`).to.deep.equal([]);
      }
      expect(issued, `${days} days`).to.be.at.least(2);
    }
  });

  it('is a renewal of one that is dated in the future, since the clock was ahead', () => {
    expect(steps(0, [certificate('a', 3650)])).to.deep.equal(['issue gold']);
  });

  it('is a new one of the tier that the Orb holds now: beside a lower one, in the place of a higher one', () => {
    const silver = certificate('a', 0, { tier: 'silver' });
    expect(steps(1, [silver])).to.deep.equal(['issue gold']);
    expect(steps(1, [{ ...silver, suspended: true }])).to.deep.equal(['lift a', 'issue gold']);
    const held = { tier: 'silver', tier_rank: 2 } as const;
    expect(steps(1, [certificate('a', 0)], held)).to.deep.equal(['revoke a', 'issue silver']);
    expect(steps(1, [silver], held)).to.deep.equal([]);
  });

  it('leaves alone what has ended by itself, but the newest, which is still shown', () => {
    const [ended, newest] = [certificate('a', 0), certificate('b', 23)];
    expect(steps(29, [ended, newest], { tier: 'none', tier_rank: 0 })).to.deep.equal(['revoke a', 'revoke b']);
    expect(steps(30, [ended, newest], { tier: 'none', tier_rank: 0 })).to.deep.equal(['revoke b']);
    expect(steps(60, [ended, newest], { tier: 'none', tier_rank: 0 })).to.deep.equal(['revoke b']);
  });

  it('is a new one where the key was revoked or the address has changed, and where the log holds the active key', () => {
    const since = { origin, index: 100 };
    const keys = (revoked_at: number): Situation['keys'] => [
      { kid: 'k2', since, status: 'active' },
      { kid: 'k1', since: { origin, index: 0 }, status: 'revoked', revoked_at: { origin, index: revoked_at } },
    ];
    const grown = { ...head, tree_size: 102 };
    expect(steps(0, [certificate('a', 0)], {}, { keys: keys(101), head: grown })).to.deep.equal(['issue gold']);
    expect(steps(0, [certificate('a', 0)], {}, { keys: keys(99), head: grown })).to.deep.equal([
      'revoke a',
      'issue gold',
    ]);
    const elsewhere = (index: number): Situation['keys'] =>
      keys(0).map((key) => ({
        ...key,
        ...(key.revoked_at && { revoked_at: { ...key.revoked_at, origin: 'other' }, stands: [{ origin, index }] }),
      }));
    expect(steps(0, [certificate('a', 0)], {}, { keys: elsewhere(100), head: grown })).to.deep.equal(['issue gold']);
    expect(steps(0, [certificate('a', 0)], {}, { keys: elsewhere(99), head: grown })).to.deep.equal([
      'revoke a',
      'issue gold',
    ]);
    expect(steps(0, [certificate('a', 0)], {}, { keys: keys(99), head })).to.deep.equal(['revoke a']);
    expect(steps(0, [certificate('a', 0)], {}, { publicUrl: 'https://next.example' })).to.deep.equal(['issue gold']);
  });
});
