import { expect } from 'chai';
import type { Operations } from '../../../../../kernel/index.ts';
import {
  certificateStore,
  type Mark,
  type NewCertificate,
} from '../../../../../plugins/ledger/certificate/issue/tables.ts';
import { openInMemory, type MemoryStore } from '../../../../helpers/stores/memory.ts';

const at = '2026-11-21T00:00:00.000Z';

describe('the status of a certificate that is kept', () => {
  let driver: MemoryStore<Operations, unknown>['driver'];
  let operations: MemoryStore<ReturnType<typeof certificateStore.write>['operations'], unknown>['operations'];
  let reads: ReturnType<typeof certificateStore.read>['certificates'];
  beforeEach(() => {
    const opened = openInMemory(certificateStore);
    ({ driver, operations } = opened);
    reads = opened.reads.certificates;
    operations.certificateIssued(certificate('crt_1', 5));
    operations.certificateIssued(certificate('crt_2', 6));
  });
  afterEach(() => driver.close());

  const certificate = (id: string, index: number, orb_id = 'a.b@1.0.0'): NewCertificate => ({
    ...{ id, orb_id, tier: 'gold', kid: 'k1', valid_from: at, valid_until: at, document: {}, at },
    ...{ reason: 'first', entries: { revocation: { list: 1, index }, suspension: { list: 2, index } } },
  });
  const mark = (change: Mark['change'], id = 'crt_1'): Promise<boolean> =>
    operations.certificateMarked({ id, change, at, reason: 'x' });
  const ids = (open: readonly (readonly { readonly id: string }[])[]) => open.map((some) => some.map(({ id }) => id));
  const changes = () =>
    driver
      .prepare("SELECT change FROM ledger_certificate_changes WHERE certificate = 'crt_1' ORDER BY number")
      .pluck()
      .all();

  it('is changed once: to suspend, lift or revoke again what is so already is no change, and is not written down', async () => {
    expect([
      await mark('lift'),
      await mark('suspend'),
      await mark('suspend'),
      await mark('lift'),
      await mark('lift'),
    ]).to.deep.equal([...[false, true, false, true, false]]);
    expect([await mark('revoke'), await mark('revoke')]).to.deep.equal([true, false]);
    expect(changes()).to.deep.equal(['issue', 'suspend', 'lift', 'revoke']);
    expect(await mark('suspend', 'crt_0')).to.equal(false);
  });

  it('sets its own bit in the list of that purpose alone', async () => {
    await mark('suspend');
    expect([reads.set(1), reads.set(2)]).to.deep.equal([[], [5]]);
    await mark('lift');
    await mark('revoke');
    await mark('suspend', 'crt_2');
    expect([reads.set(1), reads.set(2)]).to.deep.equal([[5], [6]]);
    expect(reads.find('crt_1')).to.include({ id: 'crt_1', revoked: true, suspended: false });
    expect(reads.find('crt_2')).to.include({ id: 'crt_2', revoked: false, suspended: true });
    expect(ids(reads.open(['a.b@1.0.0']))).to.deep.equal([['crt_2']]);
  });

  it('lists the certificates of an Orb that are not revoked, oldest first, and such Orbs; the newest in any status', async () => {
    operations.certificateIssued(certificate('crt_0', 7));
    operations.certificateIssued(certificate('crt_9', 8, 'a.a@1.0.0'));
    expect(reads.orbs()).to.deep.equal(['a.a@1.0.0', 'a.b@1.0.0']);
    await mark('revoke', 'crt_0');
    await mark('revoke', 'crt_9');
    expect(ids(reads.open(['a.b@1.0.0', 'a.a@1.0.0', 'a.b@1.0.0']))).to.deep.equal([
      ['crt_1', 'crt_2'],
      [],
      ['crt_1', 'crt_2'],
    ]);
    expect(reads.newest('a.b@1.0.0')?.id).to.equal('crt_0');
    expect(reads.orbs()).to.deep.equal(['a.b@1.0.0']);
  });

  it('counts and finds the places that were given in a list, and gives none twice', () => {
    operations.certificateIssued({
      ...certificate('crt_0', 7),
      entries: { revocation: { list: 3, index: 5 }, suspension: { list: 4, index: 9 } },
    });
    expect([1, 2, 3, 5].map((list) => reads.given(list))).to.deep.equal([2, 2, 1, 0]);
    expect([reads.free(1, [5, 6, 7, 8]), reads.free(1, [6, 5]), reads.free(3, [6, 5])]).to.deep.equal([
      7,
      undefined,
      6,
    ]);
    expect([1, 3, 5].map((list) => reads.newestIn(list)?.id)).to.deep.equal(['crt_2', 'crt_0', undefined]);
    expect(() => operations.certificateIssued(certificate('crt_3', 6))).to.throw('another write came first');
  });

  it('lists the set places of a list in order', async () => {
    for (const id of ['crt_2', 'crt_1']) await mark('revoke', id);
    expect(reads.set(1)).to.deep.equal([5, 6]);
  });
});
