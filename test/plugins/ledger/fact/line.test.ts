import { expect } from 'chai';
import { isSnapshot, revokesReceipts, type KeyLine, type Line } from '../../../../plugins/ledger/fact/line.ts';

describe('a line of the ledger', () => {
  it('is the snapshot of a day when it is a standing of that change', () => {
    const line = (kind: string, change: string): Line => ({ kind, change }) as unknown as Line;
    expect(isSnapshot(line('standing', 'snapshot'))).to.equal(true);
    expect(isSnapshot(line('standing', 'published'))).to.equal(false);
    expect(isSnapshot(line('incident', 'snapshot'))).to.equal(false);
  });

  it('takes receipts back when it revokes a key of receipts, and of nothing else', () => {
    const line = (role: string, change: string): KeyLine => ({ role, change }) as unknown as KeyLine;
    expect(revokesReceipts(line('receipt', 'revoked'))).to.equal(true);
    expect(revokesReceipts(line('log', 'revoked'))).to.equal(false);
    expect(revokesReceipts(line('receipt', 'added'))).to.equal(false);
  });
});
