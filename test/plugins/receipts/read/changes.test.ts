import { expect } from 'chai';
import { admin, freshReceipts, signedRuns } from '../fresh.ts';
import { ended, incident, published, suspended, type OtherFact } from '../other-facts.ts';

interface Change {
  readonly receipt_id: string;
  readonly kind: string;
  readonly change: string;
  readonly principal?: string;
  readonly subject?: string;
  readonly orb_id?: string;
  readonly reason?: string;
  readonly log: { readonly index: number };
}

describe('the list of attested changes', () => {
  const receipts = freshReceipts();
  const make = async (fact: OtherFact): Promise<string> => (await receipts.attestFact(fact)).receipt_id;
  const listed = async (query: object = {}, principal = admin) =>
    (await receipts.call('/receipts/changes', {}, principal, query)) as {
      readonly changes: readonly Change[];
      readonly next_cursor?: string;
    };
  const ofKind = async (kind: string, query: object = {}) => (await listed({ kind, ...query })).changes;
  const { principal } = suspended.facts as { readonly principal: string };

  it('says who did what to what, and why, with the place of its receipt; runs are not in it', async () => {
    await signedRuns(receipts, 2);
    const ids = [await make(suspended), await make(incident)];
    await signedRuns(receipts, 1);
    const { changes } = await listed({ limit: 2 });
    expect(changes.map(({ receipt_id }) => receipt_id)).to.deep.equal([...ids].reverse());
    const [opened, first] = changes;
    expect(first).to.include({
      ...{ kind: 'standing', change: 'suspended', principal, reason: 'a leak' },
      ...{ subject: 'notify.email@1.0.0', orb_id: 'notify.email@1.0.0' },
    });
    expect(opened).to.include({ kind: 'incident', change: 'opened', subject: incident.incident_id });
    expect(opened, 'the server opened it').not.to.have.property('principal');
    expect((await receipts.read(ids[0] ?? '')).proof?.index).to.equal(first?.log.index);
    expect((await listed({ limit: 100 })).changes.map(({ kind }) => kind)).not.to.include('run');
  });

  it('filters by kind, by who did it and by time, and pages without a gap', async () => {
    const before = (await ofKind('standing')).length;
    for (const fact of [suspended, published, ended, suspended]) await make(fact);
    const standings = await ofKind('standing');
    expect(standings).to.have.length(before + 3);
    const own = await listed({ principal, limit: 100 });
    expect(own.changes.map((one) => one.principal)).to.deep.equal(own.changes.map(() => principal));
    expect(own.changes.map(({ kind }) => kind)).to.include.members(['incident', 'standing']);
    expect(await ofKind('standing', { principal: 'prn_01M6B27VZ00000000000000009' })).to.deep.equal([]);
    const [newest] = standings;
    expect(await ofKind('standing', { from: new Date(Date.parse(suspended.at) + 1).toISOString() })).to.deep.equal([]);
    expect(await ofKind('standing', { to: suspended.at })).to.deep.equal([]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listed({ principal, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.changes.length).to.be.at.most(2);
      seen.push(...page.changes.map(({ receipt_id }) => receipt_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).to.deep.equal(own.changes.map(({ receipt_id }) => receipt_id));
    expect(seen).to.include(newest?.receipt_id);
  });

  it("shows a caller the own tenant's, and the installation's own of the kinds that it has a scope for", async () => {
    for (const fact of [suspended, incident]) await make(fact);
    const kinds = async (...scopes: string[]) => {
      const { changes } = await listed({ limit: 100 }, { tenant: 'default', scopes: ['receipts:read', ...scopes] });
      return [...new Set(changes.map(({ kind }) => kind))].sort();
    };
    expect(await kinds()).to.deep.equal([]);
    expect(await kinds('reputation:suspend')).to.deep.equal(['standing']);
    expect(await kinds('reputation:suspend', 'incidents:read')).to.deep.equal(['incident', 'standing']);
  });
});
