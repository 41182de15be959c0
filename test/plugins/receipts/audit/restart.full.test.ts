import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { AuditFinding, Auditor } from '../../../../plugins/receipts/contract.ts';
import type { FromAuditor } from '../../../../plugins/receipts/audit/worker.ts';
import { until } from '../../../helpers/until.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';

describe('an auditor whose thread dies', function () {
  this.timeout(120_000);
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let findings: AuditFinding[];
  /** The threads of auditors, in the order in which they were started. */
  let threads: Worker[];
  const remember = (worker: Worker): void => {
    if (worker.threadName === 'auditor') threads.push(worker);
  };

  beforeEach(async () => {
    dir = temporaryDir();
    findings = [];
    threads = [];
    process.on('worker', remember);
    receipts = await startReceipts(dir.path);
    auditor().onFinding((finding) => findings.push(finding));
  });
  afterEach(async () => {
    process.off('worker', remember);
    await receipts.stop();
    dir.remove();
  });

  const auditor = () => receipts.services['receiptAuditor'] as Auditor;
  const attest = async (count: number): Promise<string[]> => {
    const appended = await Promise.all(Array.from({ length: count }, () => receipts.attest(newRun())));
    return appended.map(({ receipt_id }) => receipt_id);
  };
  async function measured(): Promise<{ audited: number; behind: number }> {
    const { text } = await receipts.metrics.show();
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? NaN);
    return { audited: value('orb_receipts_audited_total'), behind: value('orb_receipts_audit_behind') };
  }
  const audited = () => until(measured, ({ behind }) => behind === 0, 'the end of the log');
  const thread = (number: number): Promise<Worker> =>
    until(
      () => threads[number - 1],
      (found) => found !== undefined,
      `thread ${number}`,
    ) as Promise<Worker>;
  const spoil = (id: string | undefined): void => {
    const database = new Driver(join(dir.path, 'store.db'));
    database.prepare('UPDATE receipts_receipts SET trust_score = 99 WHERE receipt_id = ?').run(id);
    database.close();
  };

  it('says so, starts it again and goes on where it was: nothing is verified twice, nothing is left out', async () => {
    await attest(40);
    const { audited: before } = await audited();
    const first = await thread(1);
    // What it cannot take makes it throw, as a fault of its own would.
    first.postMessage({ kind: 'again', receipt_ids: 7 });
    await new Promise((resolve) => first.once('exit', resolve));
    await until(
      () => receipts.health(),
      ({ health }) => health === 'degraded',
    );
    expect(receipts.health().reason).to.equal('the auditor stopped; it is being restarted');
    const later = await attest(5);
    spoil(later[2]);
    await thread(2);
    expect(await audited()).to.deep.equal({ audited: before + 5, behind: 0 });
    await until(
      () => findings,
      (found) => found.length > 0,
    );
    expect(findings.map(({ receipt_id, state }) => [receipt_id, state])).to.deep.equal([[later[2], 'failing']]);
    expect(receipts.health().reason).to.equal('1 receipt(s) failed verification');
    expect(threads).to.have.length(2);
  });

  it('in the middle of the log, again and again, loses no receipt of those it had not told of', async () => {
    const ids = await attest(150);
    spoil(ids[20]);
    spoil(ids[140]);
    for (const number of [1, 2]) {
      const worker = await thread(number);
      await new Promise<void>((resolve) => {
        worker.on('message', ({ kind }: FromAuditor) => {
          if (kind === 'round') resolve();
        });
      });
      await worker.terminate();
      expect((await measured()).behind, 'it died before the end').to.be.greaterThan(0);
    }
    await thread(3);
    await audited();
    // Told once they are written down.
    await until(
      () => findings,
      ({ length }) => length >= 2,
    );
    const found = findings.map(({ receipt_id }) => receipt_id);
    expect(found, 'each is told once').to.have.members([ids[20], ids[140]]);
    expect(threads).to.have.length(3);
  });

  it('leaves the rest to the next start, which goes on from the place that was written down', async () => {
    await attest(1);
    await audited();
    const first = await thread(1);
    await first.terminate();
    await until(
      () => receipts.health(),
      ({ health }) => health === 'degraded',
    );
    const [id] = await attest(2);
    spoil(id);
    await receipts.stop();
    receipts = await startReceipts(dir.path);
    expect((await audited()).audited).to.equal(2);
    await until(
      () => auditor().failing(),
      (failing) => failing.length === 1 && failing[0]?.receipt_id === id,
    );
    expect(threads).to.have.length(2);
  });
});
