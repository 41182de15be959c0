import { shippedFacts } from '../../helpers/command.ts';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { AuditFinding, Auditor, ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import { systemClock } from '../../../kernel/tools/clock.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { RunningAuditor } from '../../../plugins/receipts/audit/auditor.ts';
import type { AuditPlace } from '../../../plugins/receipts/log/rows/audit.ts';
import { auditRound } from '../../../plugins/receipts/audit/round.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';
import { revoke, rotate } from './signing-keys.ts';
import { readsNow } from '../../helpers/reads.ts';

const admin = { tenant: 'default', scopes: ['*'] };

describe('the auditor of receipts', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let findings: AuditFinding[];
  beforeEach(async () => {
    dir = temporaryDir();
    findings = [];
    await start();
  });
  afterEach(async () => {
    await receipts.stop();
    dir.remove();
  });

  const auditor = () => receipts.services['receiptAuditor'] as Auditor;
  async function start(): Promise<void> {
    receipts = await startReceipts(dir.path);
    auditor().onFinding((finding) => findings.push(finding));
  }
  const attest = async (count = 1): Promise<string[]> =>
    (await Promise.all(Array.from({ length: count }, () => receipts.attest(newRun())))).map(({ receipt_id: id }) => id);
  const sql = (text: string, ...values: unknown[]): unknown[] => {
    const database = new Driver(join(dir.path, 'store.db'));
    const statement = database.prepare(text);
    const rows = statement.reader ? statement.all(...values) : [statement.run(...values)];
    database.close();
    return rows;
  };
  const place = () => sql('SELECT origin, next FROM receipts_audit')[0] as { origin: string; next: number } | undefined;
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  /** Waits until the auditor has come to the end of the log. */
  const audited = async (): Promise<void> => {
    while ((await measured()).behind > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  async function measured(): Promise<{ audited: number; behind: number }> {
    const { text } = await receipts.metrics.show();
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? NaN);
    return { audited: value('orb_receipts_audited_total'), behind: value('orb_receipts_audit_behind') };
  }
  /** Starts an auditor on the same store, beside the one of the plugin. */
  const another = (writer: Pick<typeof receipts.store, 'write'>) => {
    const { store } = receipts;
    const reads = readsNow(store, receiptsStore);
    return new RunningAuditor({
      facts: shippedFacts,
      store: { place: store.place, node: store.node, shared: false, write: writer.write },
      reads,
      left: { failing: reads.failing(), places: reads.auditPlaces() },
      clock: systemClock,
      log: silentLog,
    });
  };
  const read = async (id: string): Promise<ReceiptDocument> =>
    (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as ReceiptDocument;

  it('verifies every receipt of the log, those of all kinds, and is content with an honest one', async () => {
    await attest(40);
    await rotate(receipts, 'receipt');
    await rotate(receipts, 'log');
    await attest(3);
    await audited();
    expect(await measured()).to.deep.equal({ audited: 49, behind: 0 });
    expect(auditor().failing()).to.deep.equal([]);
    expect(findings).to.deep.equal([]);
    expect(receipts.health()).to.deep.equal({ health: 'up' });
  }).timeout(60_000);

  for (const [name, edit, undo, verdicts] of [
    [
      'payload',
      "UPDATE receipts_receipts SET payload = CAST(replace(payload, 'run_', 'ruN_') AS BLOB) WHERE receipt_id = ?",
      "UPDATE receipts_receipts SET payload = CAST(replace(payload, 'ruN_', 'run_') AS BLOB) WHERE receipt_id = ?",
      ['envelope'],
    ],
    [
      'copy in its row',
      'UPDATE receipts_receipts SET trust_score = trust_score + 1 WHERE receipt_id = ?',
      'UPDATE receipts_receipts SET trust_score = trust_score - 1 WHERE receipt_id = ?',
      ['readable_copy_matches'],
    ],
    [
      'tenant in its row',
      "UPDATE receipts_receipts SET tenant = 'other' WHERE receipt_id = ?",
      "UPDATE receipts_receipts SET tenant = 'default' WHERE receipt_id = ?",
      ['stored_row_matches'],
    ],
    [
      'entry of the log',
      "UPDATE receipts_entries SET entry = CAST(replace(entry, 'dsse', 'dssf') AS BLOB) WHERE idx = (SELECT idx FROM receipts_receipts WHERE receipt_id = ?)",
      "UPDATE receipts_entries SET entry = CAST(replace(entry, 'dssf', 'dsse') AS BLOB) WHERE idx = (SELECT idx FROM receipts_receipts WHERE receipt_id = ?)",
      ['leaf_matches_envelope'],
    ],
  ] as const)
    it(`reports a receipt whose ${name} was changed, with the Orb it is about, and clears it when it verifies again`, async () => {
      const [id = '', whole = ''] = await attest(2);
      // Changed before the auditor has begun.
      sql(edit, id);
      // A changed entry takes the proofs of its neighbours with it.
      await until(() => findings.some(({ receipt_id }) => receipt_id === id));
      await audited();
      const finding = findings.find(({ receipt_id }) => receipt_id === id);
      expect(finding).to.deep.include({ receipt_id: id, orb_id: 'notify.email@1.0.0', state: 'failing' });
      expect(finding?.verdicts).to.include.members([...verdicts]);
      expect(
        auditor()
          .failing()
          .map(({ receipt_id }) => receipt_id),
      ).to.include(id);
      expect(receipts.health().health).to.equal('degraded');
      sql(undo, id);
      // Whoever reads it makes the auditor look again; without that it does so by itself.
      expect((await read(id)).signature_valid).to.equal(true);
      for (const { receipt_id } of auditor().failing()) await read(receipt_id);
      await until(() => findings.some(({ receipt_id, state }) => receipt_id === id && state === 'cleared'));
      await until(() => auditor().failing().length === 0);
      expect(receipts.health()).to.deep.equal({ health: 'up' });
      expect((await read(whole)).signature_valid).to.equal(true);
      await until(() => sql('SELECT * FROM receipts_failing').length === 0);
    }).timeout(60_000);

  it('knows after a restart how far it was and what fails; it verifies nothing twice', async () => {
    const [first = ''] = await attest(5);
    await audited();
    sql('UPDATE receipts_receipts SET trust_score = 99 WHERE receipt_id = ?', first);
    expect((await read(first)).signature_valid).to.equal(false);
    await until(() => findings.length > 0);
    await receipts.stop();
    expect(place()).to.include({ next: 8 });
    findings = [];
    await start();
    expect(auditor().failing()).to.have.length(1);
    expect(auditor().failing()[0]).to.include({ receipt_id: first, state: 'failing' });
    await attest(2);
    await until(() => findings.length === 0 && auditor().failing().length === 1);
    await audited();
    expect(await measured()).to.deep.equal({ audited: 2, behind: 0 });
    sql('UPDATE receipts_receipts SET trust_score = 80 WHERE receipt_id = ?', first);
    expect((await read(first)).signature_valid).to.equal(true);
    await until(() => findings.length > 0);
    expect(findings[0]).to.include({ receipt_id: first, state: 'cleared' });
  }).timeout(60_000);

  it('finds an old receipt when somebody reads it, verified long ago or not', async () => {
    const [id = ''] = await attest(3);
    await audited();
    sql('UPDATE receipts_receipts SET trust_score = 99 WHERE receipt_id = ?', id);
    expect(findings).to.deep.equal([]);
    await read(id);
    await until(() => findings.length > 0);
    expect(findings.map(({ receipt_id }) => receipt_id)).to.deep.equal([id]);
    await read(id);
    await attest();
    await audited();
    expect(findings).to.have.length(1);
  }).timeout(60_000);

  it('reports an entry whose receipt is gone by its health', async () => {
    await attest(3);
    sql('DELETE FROM receipts_receipts WHERE idx = 4');
    await until(() => receipts.health().health === 'degraded');
    expect(receipts.health().reason).to.include('@4');
  }).timeout(60_000);

  it('says nothing of receipts that an operator revoked with their key: that is no news', async () => {
    const [before = '', after = ''] = [(await attest())[0], (await attest())[0]];
    await audited();
    const { proof } = await read(after);
    const keys = readsNow(receipts.store, receiptsStore).keys();
    const kid = keys.find(({ role }) => role === 'receipt')?.kid ?? '';
    await revoke(receipts, kid, 'the seed was shown', { origin: proof?.origin, index: proof?.index });
    expect((await read(after)).signature_valid).to.equal(false);
    // Asked after it, and found first: had there been a question before, its answer would be here too.
    sql('UPDATE receipts_receipts SET trust_score = 99 WHERE receipt_id = ?', before);
    expect((await read(before)).signature_valid).to.equal(false);
    await until(() => findings.length > 0);
    await audited();
    expect(findings.map(({ receipt_id }) => receipt_id)).to.deep.equal([before]);
    const reads = readsNow(receipts.store, receiptsStore);
    const { failed } = auditRound(reads, new Map());
    expect(failed.find(({ receipt_id }) => receipt_id === after)?.verdicts).to.deep.equal(['key_status_at_index']);
  }).timeout(60_000);

  it('goes through the log in rounds of any beginning, and begins again in a store that is not the one it left', async () => {
    await attest(70);
    const reads = readsNow(receipts.store, receiptsStore);
    const rounds = [];
    const at = (place: AuditPlace | undefined) => new Map(place === undefined ? [] : [[place.origin, place.next]]);
    for (let next = auditRound(reads, at(undefined)); next.verified > 0; next = auditRound(reads, at(next.place)))
      rounds.push(next);
    expect(rounds.map(({ place, verified }) => [place?.next, verified])).to.deep.equal([
      [32, 32],
      [64, 32],
      [73, 9],
    ]);
    expect(rounds.flatMap(({ failed, missing }) => [...failed, ...missing])).to.deep.equal([]);
    expect(auditRound(reads, at({ origin: 'elsewhere', next: 5 })).place?.next).to.equal(32);
    expect(auditRound(reads, at({ origin: rounds[0]?.place?.origin ?? '', next: 60 }))).to.include({ verified: 13 });
  });

  it('says nothing of them either when it comes to them after the revocation, and clears what only that is left of', async () => {
    const [id = '', mended = ''] = await attest(2);
    await audited();
    const { proof } = await read(id);
    sql('UPDATE receipts_receipts SET trust_score = trust_score + 1 WHERE receipt_id = ?', mended);
    await read(mended);
    await until(() => findings.length > 0);
    const kid = (await read(id)).statement?.predicate.issuer.kid ?? '';
    await revoke(receipts, kid, 'the seed was shown', { origin: proof?.origin, index: proof?.index });
    await audited();
    sql('UPDATE receipts_receipts SET trust_score = trust_score - 1 WHERE receipt_id = ?', mended);
    sql('DELETE FROM receipts_audit');
    const other = another(receipts.store);
    await until(() => other.behind() === 0 && other.service.failing().length === 0);
    await other.close();
    expect(readsNow(receipts.store, receiptsStore).failing()).to.deep.equal([]);
  }).timeout(60_000);

  it('writes down with its next place what it could not write down when it was found', async () => {
    const [id] = await attest(3);
    await audited();
    sql('UPDATE receipts_receipts SET trust_score = trust_score + 1 WHERE receipt_id = ?', id);
    sql('DELETE FROM receipts_audit');
    const { store } = receipts;
    let writes = 0;
    const write = ((operations: Parameters<typeof store.write>[0]) =>
      writes++ === 0 ? Promise.reject(new Error('the disk is full')) : store.write(operations)) as typeof store.write;
    const other = another({ write });
    await until(() => writes === 1 && other.behind() === 0);
    await other.close();
    expect(place(), 'it goes on after it').to.include({ next: 6 });
    const failing = readsNow(store, receiptsStore).failing();
    expect(failing.map(({ receipt_id }) => receipt_id)).to.deep.equal([id]);
  }).timeout(60_000);
});
