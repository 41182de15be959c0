import { expect } from 'chai';
import type { StandingLine } from '../../../../plugins/ledger/fact/line.ts';
import { listed, newOrb } from '../../../../plugins/ledger/projection/orb.ts';

const orb_id = 'acme.mail.send@1.0.0+a.b';
const at = '2026-11-20T10:00:00.000Z';
const later = '2026-11-21T10:00:00.000Z';
type Change = Parameters<typeof listed>[1];
const list = (known: ReturnType<typeof listed> | undefined, change: Change, more: Partial<StandingLine> = {}) =>
  listed(known, change, {
    ...{ origin: 'o', index: 0, receipt_id: 'rec_1', signed_by: 'k1', kind: 'standing', at, orb_id, change },
    ...more,
  });

describe('an Orb that the log names for the first time', () => {
  it('has its names from its id, and no tier', () => {
    const { machine, ...orb } = newOrb(orb_id);
    expect(orb).to.deep.equal({
      ...{ orb_id, namespace: 'acme.mail', name: 'acme.mail.send', version: '1.0.0+a.b', signed: false },
      ...{ suspended: false, critical: [], causes: [] },
    });
    expect(machine.tier).to.equal('none');
  });
});

describe('a listing as the log tells of it', () => {
  const signed = { manifest_digest: 'sha256:1', manifest_signed: true };
  const first = list(undefined, 'published', signed);

  it('is what was published', () => {
    const plain = { orb_id, state: 'published', published_at: at, changed_at: at, receipt_id: 'rec_1' };
    expect(first).to.deep.equal({ ...plain, ...signed });
    expect(list(undefined, 'published')).to.deep.equal({ ...plain, manifest_signed: false });
  });

  it('keeps when it was first published, and with which manifest', () => {
    const again = list(first, 'published', { at: later, receipt_id: 'rec_2' });
    expect(again).to.deep.equal({ ...first, changed_at: later, receipt_id: 'rec_2' });
    expect(list(first, 'published', { manifest_digest: 'sha256:2' })).to.include({ manifest_digest: 'sha256:2' });
    expect(list(first, 'deprecated', { manifest_digest: 'sha256:2' })).to.include({ manifest_digest: 'sha256:1' });
    expect(list(first, 'published', { manifest_signed: false })).to.include({ manifest_signed: false });
  });

  it('tells why it was taken back, until it is published again', () => {
    const deprecated = list(first, 'deprecated', { reason: 'old' });
    expect(deprecated).to.include({ state: 'deprecated', reason: 'old' });
    expect(list(deprecated, 'published', { reason: 'new' })).to.not.have.property('reason');
    expect(list(first, 'deprecated')).to.not.have.property('reason');
  });

  it('ends by a yank for good, and only a removal goes above that', () => {
    const yanked = list(first, 'yanked', { at: later, reason: 'x' });
    for (const change of ['published', 'deprecated'] as const) expect(list(yanked, change)).to.equal(yanked);
    const removed = list(yanked, 'removed', { reason: 'y' });
    expect(removed).to.include({ state: 'removed', reason: 'y', published_at: at });
    expect(list(removed, 'yanked')).to.equal(removed);
    expect(list(removed, 'removed', { reason: 'z' })).to.include({ reason: 'z' });
  });
});
