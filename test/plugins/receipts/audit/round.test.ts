import { expect } from 'chai';
import { ReadFailed, StoreDamaged } from '../../../../kernel/maintenance.ts';
import { auditAgain, auditRound } from '../../../../plugins/receipts/audit/round.ts';
import type { AuditPlace } from '../../../../plugins/receipts/log/rows/audit.ts';
import receiptsStore, { type Reads } from '../../../../plugins/receipts/store.ts';
import { freshReceipts } from '../fresh.ts';
import { rotate } from '../signing-keys.ts';
import { readsNow } from '../../../helpers/reads.ts';

describe('a round of the auditor', () => {
  const receipts = freshReceipts();
  let reads: Reads;
  let ids: string[];
  beforeEach(async () => {
    ids = (await receipts.attestRuns(40)).map(({ receipt_id: id }) => id);
    reads = readsNow(receipts.store, receiptsStore);
  });
  const at = (place: AuditPlace | undefined) => new Map(place === undefined ? [] : [[place.origin, place.next]]);
  const origin = () => reads.logs()[0]?.origin ?? '';

  it('tells each missing index once, and verifies nothing beyond its end in the place of what is missing', () => {
    receipts.edit('DELETE FROM receipts_receipts WHERE idx IN (4, 9)');
    const first = auditRound(reads, new Map());
    expect(first).to.deep.include({ verified: 30, missing: [`${origin()}@4`, `${origin()}@9`] });
    expect(first.place).to.deep.equal({ origin: origin(), next: 32 });
    expect(auditRound(reads, at(first.place))).to.deep.include({ verified: 11, missing: [], failed: [] });
  });

  it('goes on in the next log from its first entry, and stays at the end of the last', async () => {
    await rotate(receipts, 'log');
    const fresh = reads.logs()[1]?.origin ?? '';
    const place = { origin: origin(), next: reads.logs()[0]?.size ?? 0 };
    const next = auditRound(reads, at(place));
    expect(next).to.deep.include({ place: { origin: fresh, next: 1 }, verified: 1, failed: [] });
    const done = auditRound(reads, new Map([...at(place), ...at(next.place)]));
    expect(done).to.deep.equal({ place: undefined, verified: 0, failed: [], missing: [], more: false });
  });

  it('is of the logs of its node and of frozen ones, where others serve beside it', async () => {
    await rotate(receipts, 'log');
    const [frozen, active] = reads.logs();
    const audited = (node: string) => {
      const places = new Map<string, number>();
      for (let { place } = auditRound(reads, places, [], node); place !== undefined;) {
        places.set(place.origin, place.next);
        ({ place } = auditRound(reads, places, [], node));
      }
      return [...places.keys()];
    };
    expect(audited(receipts.store.node.name)).to.deep.equal([frozen?.origin, active?.origin]);
    expect(audited('another')).to.deep.equal([frozen?.origin]);
  });

  /** Reads; one of them throws. */
  const throwing = (error: Error): Reads => ({
    ...reads,
    entries() {
      throw error;
    },
  });

  it('says of a receipt that is gone, or whose row makes no sense, that it does not verify', () => {
    const [id = ''] = ids;
    expect(auditAgain(reads, id)).to.equal(undefined);
    expect(auditAgain(throwing(new TypeError('no text')), id)).to.deep.equal({
      ...{ receipt_id: id, orb_id: 'notify.email@1.0.0', verdicts: ['stored_row_matches'] },
    });
    receipts.edit(`DELETE FROM receipts_receipts WHERE receipt_id = '${id}'`);
    expect(auditAgain(reads, id)).to.deep.equal({ receipt_id: id, verdicts: ['stored_row_matches'] });
  });

  it('says nothing of a receipt that could not be read, and does not go on', () => {
    const away = throwing(new ReadFailed('the database does not answer'));
    expect(() => auditAgain(away, ids[0] ?? '')).to.throw(ReadFailed);
    expect(() => auditRound(away, new Map())).to.throw(ReadFailed);
    const damaged = auditRound(throwing(new StoreDamaged('the file is malformed')), new Map());
    expect(damaged.failed).to.have.length(damaged.verified);
  });

  it('names the Orb of the statement, whatever the row says', () => {
    const [id = ''] = ids;
    receipts.edit(`UPDATE receipts_receipts SET orb_id = 'other.orb@1.0.0' WHERE receipt_id = '${id}'`);
    expect(auditAgain(reads, id)).to.deep.include({ orb_id: 'notify.email@1.0.0', verdicts: ['stored_row_matches'] });
    receipts.edit(`UPDATE receipts_receipts SET payload = CAST('x' AS BLOB) WHERE receipt_id = '${id}'`);
    expect(auditAgain(reads, id)).to.include({ orb_id: 'other.orb@1.0.0' });
  });

  it('names what could not be checked when nothing failed', () => {
    const [id = ''] = ids;
    const failed = auditAgain({ ...reads, newestCheckpoint: () => undefined }, id);
    expect(failed?.verdicts).to.include('checkpoint_signature').and.not.include('envelope');
  });
});
