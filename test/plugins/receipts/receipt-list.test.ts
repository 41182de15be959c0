import { expect } from 'chai';
import { admin, freshReceipts, signedRuns } from './fresh.ts';
import { newRun } from './harness.ts';
import { incident, published, suspended, type OtherFact } from './other-facts.ts';

describe('the list of receipts', () => {
  const receipts = freshReceipts();

  const listed = async (query: object, principal = admin) =>
    (await receipts.call('/receipts', {}, principal, query)) as {
      receipts: { receipt_id: string; kind: string; log: object }[];
      next_cursor?: string;
    };

  it('shows receipts newest first, by page, each with its place', async () => {
    const ids = await signedRuns(receipts, 5);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listed({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.receipts.map(({ receipt_id: id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen.slice(0, 5)).to.have.members(ids);
    expect([...seen].sort().reverse()).to.deep.equal(seen);
    expect(seen).to.have.length(8);
  });

  it('shows one who acts for the installation what that attested, among the receipts of the own tenant', async () => {
    const make = async (fact: OtherFact) => (await receipts.attestFact(fact)).receipt_id;
    const ids = [await make(suspended)];
    for (const fact of [published, suspended]) ids.push(...(await signedRuns(receipts, 1)), await make(fact));
    await make(incident);
    const { receipts: shown } = await listed(
      {},
      { tenant: 'default', scopes: ['receipts:read', 'reputation:suspend'] },
    );
    expect(shown.map(({ receipt_id: id }) => id)).to.deep.equal(ids.reverse());
    const { receipts: first } = await listed(
      { limit: 2 },
      { tenant: 'default', scopes: ['receipts:read', 'reputation:suspend'] },
    );
    expect(first.map(({ receipt_id: id }) => id)).to.deep.equal(ids.slice(0, 2));
  });

  it('filters by Orbiset, Orb, status and time, and shows a tenant its own only', async () => {
    const now = Date.now();
    const at = (ms: number): string => new Date(now + ms).toISOString();
    await receipts.attest(newRun('a', { finished_at: at(-50) }));
    await receipts.attest(newRun('b', { finished_at: at(0), tenant: 'other' }));
    const count = async (query: object, principal = admin) => (await listed(query, principal)).receipts.length;
    expect(await count({ orbiset: 'a' })).to.equal(1);
    expect(await count({ orb: 'notify.email@1.0.0' })).to.equal(2);
    expect(await count({ orb: 'notify.other@1.0.0' })).to.equal(0);
    expect(await count({ status: 'completed' })).to.equal(2);
    expect(await count({ from: at(-50), to: at(-49) })).to.equal(1);
    expect(await count({ to: at(-50), orbiset: 'a' })).to.equal(0);
    expect(await count({ from: at(1), orbiset: 'b' })).to.equal(0);
    expect(await count({})).to.equal(5);
    expect(await count({}, { tenant: 'other', scopes: ['receipts:read'] })).to.equal(1);
  });

  it('filters what a plugin attests by the time at which it happened, however long ago that was', async () => {
    const { receipt_id } = await receipts.attestFact({ ...suspended, at: '2020-01-01T00:00:00.000Z' });
    await receipts.attest(newRun('a'));
    const found = async (query: object) => (await listed(query)).receipts.map(({ receipt_id: id }) => id);
    expect(await found({ from: '2019-01-01T00:00:00Z', to: '2021-01-01T00:00:00Z' })).to.deep.equal([receipt_id]);
    expect(await found({ from: '2020-01-01T00:00:00Z', to: '2020-01-01T00:00:00.001Z' })).to.deep.equal([receipt_id]);
    expect(await found({ to: '2020-01-01T00:00:00Z' })).to.deep.equal([]);
  });
});
