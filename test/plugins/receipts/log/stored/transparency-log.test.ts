import { expect } from 'chai';
import type { LogEntry, Position } from '../../../../../plugins/receipts/contract.ts';
import { parseCheckpoint, parseNote } from '../../../../../plugins/receipts/log/pure/note.ts';
import { entryOf } from '../../../../../plugins/receipts/log/pure/entry.ts';
import { Frontier } from '../../../../../plugins/receipts/log/pure/frontier.ts';
import { hashLeaf } from '../../../../../plugins/receipts/log/pure/tree.ts';
import type { KeySet } from '../../../../../plugins/receipts/format/jwk.ts';
import { freshReceipts } from '../../fresh.ts';
import { logOf } from '../../log-at-once.ts';
import { rotate } from '../../signing-keys.ts';

describe('the log as other plugins read it', () => {
  const receipts = freshReceipts();

  const log = () => logOf(receipts);
  const pagesOf = (page: number, which: 'entriesAfter' | 'othersAfter'): LogEntry[] => {
    const found: LogEntry[] = [];
    const read = new Map<string, number>();
    for (;;) {
      const more = log()[which](read, page);
      expect(more.length).to.be.at.most(page);
      if (more.length === 0) return found;
      for (const { index, origin } of more) read.set(origin, index + 1);
      found.push(...more);
    }
  };
  const allOf = (page: number): LogEntry[] => pagesOf(page, 'entriesAfter');
  const nothing = new Map<string, number>();
  const upTo = (entries: readonly Position[]) => new Map(entries.map(({ index, origin }) => [origin, index + 1]));

  it('hands out every entry once, in order, in pages of any size, with the bytes that stand in the log', async () => {
    await receipts.attestRuns(20);
    const whole = allOf(1000);
    expect(whole.map(({ index }) => index)).to.deep.equal(Array.from({ length: 23 }, (_, index) => index));
    for (const page of [1, 2, 7, 22, 23, 24])
      expect(allOf(page).map(({ receipt_id: id }) => id)).to.deep.equal(whole.map(({ receipt_id: id }) => id));
    const [head] = log().heads();
    const proven = log().prove(whole);
    const root = Frontier.empty()
      .append(proven.map(({ leaf }) => hashLeaf(leaf)))
      .root();
    expect(head).to.include({ tree_size: 23, root_hash: Buffer.from(root).toString('base64') });
    expect(parseCheckpoint(parseNote(head?.checkpoint ?? '')?.text ?? '')).to.include({ size: 23n });
    const { keys } = (await receipts.published('/.well-known/jwks.json')) as KeySet;
    const key = Buffer.from(keys.find(({ role }) => role === 'receipt')?.x ?? '', 'base64url');
    for (const { envelope, leaf, statement } of proven) {
      const payload = Buffer.from(statement);
      expect(Buffer.from(envelope.payload, 'base64').equals(payload)).to.equal(true);
      const signature = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
      expect(Buffer.from(entryOf(payload, signature, key)).equals(leaf)).to.equal(true);
    }
    expect(log().entriesAfter(nothing, 0)).to.deep.equal([]);
  });

  it('hands out what is no run, over the shards, in pages of any size and after any entry', async () => {
    await receipts.attestRuns(3);
    await rotate(receipts, 'log');
    await receipts.attestRuns(2);
    const others = allOf(1000).filter(({ kind }) => kind !== 'run');
    expect(others).to.have.length(5);
    const ids = (entries: readonly LogEntry[]): readonly string[] => entries.map(({ receipt_id: id }) => id);
    for (const page of [1, 2, 4, 5, 6]) expect(ids(pagesOf(page, 'othersAfter'))).to.deep.equal(ids(others));
    const whole = allOf(1000);
    for (const at of whole.keys()) {
      const after = ids(whole.slice(at + 1));
      const found = ids(log().othersAfter(upTo(whole.slice(0, at + 1)), 9));
      expect(found).to.deep.equal(ids(others).filter((id) => after.includes(id)));
    }
    expect(log().othersAfter(nothing, 0)).to.deep.equal([]);
    expect(() => log().othersAfter(upTo([{ origin: 'elsewhere', index: 0 }]), 1)).to.throw('log fsck');
  });

  it('goes on into the next shard, at every page size, and names the heads oldest first', async () => {
    await receipts.attestRuns(3);
    await rotate(receipts, 'log');
    await receipts.attestRuns(2);
    const whole = allOf(1000);
    const places = whole.map(({ origin, index }) => `${origin.split('/').at(-1)}:${index}`);
    expect(places).to.deep.equal(['0:0', '0:1', '0:2', '0:3', '0:4', '0:5', '0:6', '1:0', '1:1', '1:2']);
    for (const page of [1, 2, 3, 6, 7, 8]) expect(allOf(page)).to.deep.equal(whole);
    expect(
      log()
        .heads()
        .map(({ origin, tree_size: size }) => `${origin.split('/').at(-1)}:${size}`),
    ).to.deep.equal(['0:7', '1:3']);
  });

  it('refuses a reader that is ahead of it, or comes from another log', async () => {
    await receipts.attestRuns(1);
    const { origin } = log().heads()[0] ?? expect.fail('no head');
    const read = (position: Position) => () => log().entriesAfter(upTo([position]), 10);
    expect(read({ origin, index: 3 })()).to.deep.equal([]);
    expect(read({ origin, index: 4 })).to.throw('has 4 entries');
    expect(read({ origin: 'elsewhere', index: 0 })).to.throw('no log');
  });

  it('hands out nothing past a receipt or an entry that is lost or doubled', async () => {
    await receipts.attestRuns(6);
    for (const damage of [
      'DELETE FROM receipts_receipts WHERE idx = 5',
      'UPDATE receipts_receipts SET idx = 6 WHERE idx = 5',
      'DELETE FROM receipts_entries WHERE idx = 8',
    ]) {
      receipts.edit(
        `CREATE TABLE kept AS SELECT * FROM receipts_receipts; CREATE TABLE kept_entries AS SELECT * FROM receipts_entries`,
      );
      receipts.edit(damage);
      expect(() => log().entriesAfter(nothing, 100), damage).to.throw('log fsck');
      expect(log().entriesAfter(nothing, 3)).to.have.length(3);
      receipts.edit(`DELETE FROM receipts_receipts; INSERT INTO receipts_receipts SELECT * FROM kept; DROP TABLE kept;
        DELETE FROM receipts_entries; INSERT INTO receipts_entries SELECT * FROM kept_entries; DROP TABLE kept_entries`);
    }
    expect(allOf(100)).to.have.length(9);
  });

  it('tells what the first entry of a shard attests of the one before, and the store does not hold', async () => {
    await receipts.attestRuns(3);
    await rotate(receipts, 'log');
    const [before, after] = log().heads();
    if (before === undefined || after === undefined) throw new Error('two shards are expected');
    const [first] = log().othersAfter(new Map([[before.origin, before.tree_size]]), 1);
    const lost = (origin: string) => log().lostBefore([origin]);
    const told = { origin: before.origin, until: before.tree_size, receipt_id: first?.receipt_id };
    expect([lost(before.origin), lost(after.origin)]).to.deep.equal([[], []]);
    receipts.edit(`UPDATE receipts_logs SET size = 4 WHERE origin = '${before.origin}'`);
    expect(lost(after.origin)).to.deep.equal([{ ...told, from: 4 }]);
    receipts.edit(`UPDATE receipts_logs SET origin = 'elsewhere' WHERE origin = '${before.origin}'`);
    expect(lost(after.origin)).to.deep.equal([{ ...told, from: 0 }]);
  });

  it('finds a page by its index: no step of its plan looks at the whole log', () => {
    const plan = receipts.rows<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT e.idx, r.payload FROM receipts_entries AS e
       CROSS JOIN receipts_receipts AS r ON r.log = e.log AND r.idx = e.idx WHERE e.log = 1 AND e.idx >= 5 ORDER BY e.idx LIMIT 9`,
    );
    expect(plan.map(({ detail }) => detail).join('; ')).to.not.match(/SCAN|TEMP B-TREE/);
  });

  it('verifies a receipt in full, and nothing that is not there or was edited', async () => {
    const [receipt] = await receipts.attestRuns(1);
    const id = receipt?.receipt_id ?? '';
    expect(await log().verifies(id)).to.equal(true);
    expect(await log().verifies('rec_none')).to.equal(false);
    receipts.edit('UPDATE receipts_receipts SET trust_score = 99 WHERE idx = 3');
    expect(await log().verifies(id)).to.equal(false);
  });

  it('calls back once for many appends, after their commit, until told to stop; a failing listener stops no other', async () => {
    let heard: (() => void) | undefined;
    const sizes: number[] = [];
    const stopFailing = log().onAppend(() => {
      throw new Error('a listener that fails');
    });
    const stop = log().onAppend(() => {
      sizes.push(log().heads()[0]?.tree_size ?? 0);
      heard?.();
    });
    const called = new Promise<void>((resolve) => (heard = resolve));
    await receipts.attestRuns(10);
    await called;
    expect(sizes[0]).to.be.at.least(4);
    expect(sizes.length).to.be.lessThan(10);
    const again = new Promise<void>((resolve) => (heard = resolve));
    const before = sizes.length;
    await receipts.attestRuns(1);
    await again;
    expect(sizes.length).to.be.greaterThan(before);
    stop();
    stopFailing();
    const after = sizes.length;
    await receipts.attestRuns(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sizes.length).to.equal(after);
  });
});
