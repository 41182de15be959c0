import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { LedgerReads } from '../../../plugins/ledger/tables/reads.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import { resolutionPredicate, runPredicate, startDay, syntheticLog, type SyntheticLog } from './synthetic-log.ts';

const orbId = 'notify.email@1.0.0';

describe('a ledger whose store answers late', () => {
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  let away = false;
  const reading = (reads: LedgerReads): LedgerReads => ({
    ...reads,
    state: async () => {
      await delay(1);
      if (away) throw new Error('the database is not reachable');
      return reads.state();
    },
  });
  const run = (said: Parameters<typeof runPredicate>[1] = {}): string =>
    log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }, said));
  const counts = async () => (await ledger.reads.dayCounts(orbId, startDay, startDay))[0];
  const failed = (): Promise<unknown> =>
    ledger.ledger.settled().then(
      () => undefined,
      (error: unknown) => error,
    );
  beforeEach(async () => {
    away = false;
    log = syntheticLog();
    ledger = await openLedger(log, { reading });
  });
  afterEach(() => ledger.close());

  it('reads the committed state again before it goes on, however long that cannot be read after a failed write', async () => {
    run();
    await ledger.ledger.settled();
    run();
    ledger.failWrite();
    away = true;
    expect(String(await failed())).to.include('the disk is full');
    expect(String(await failed())).to.include('the database is not reachable');
    expect(ledger.ledger.health().health).to.equal('down');
    away = false;
    await ledger.ledger.settled();
    expect(await counts()).to.include({ ok: 2 });
    expect(ledger.ledger.health().health).to.equal('up');
  });

  it('asks once where the receipts are that a batch resolves', async () => {
    const unknown = Array.from({ length: 40 }, () => run({ outcome: 'unknown' }));
    await ledger.ledger.settled();
    for (const id of unknown) log.append('resolution', resolutionPredicate(id, 0, 'sent', 'orb_fault'));
    const asked: number[] = [];
    const { positions } = log;
    Object.assign(log, {
      async positions(ids: readonly string[]) {
        asked.push(ids.length);
        await delay(1);
        return positions(ids);
      },
    });
    await ledger.ledger.settled();
    expect(asked).to.deep.equal([40]);
    expect(await counts()).to.deep.include({ ok: 40, fault: 0, others: { resolved_ok: 40 } });
  });

  it('folds nothing twice when it is woken, asked and stopped while a page of the log comes', async () => {
    const { entriesAfter } = log;
    Object.assign(log, {
      async entriesAfter(...asked: Parameters<typeof entriesAfter>) {
        await delay(5);
        return entriesAfter(...asked);
      },
    });
    for (let at = 0; at < 600; at++) run();
    const settled = Array.from({ length: 3 }, failed);
    ledger.ledger.wake();
    await delay(8);
    await ledger.close({ keep: true });
    const [error] = await Promise.all(settled);
    expect(String(error)).to.include('the ledger is stopping');
    ledger = await openLedger(log, { stateDir: ledger.stateDir, reading });
    await ledger.ledger.settled();
    expect(await counts()).to.include({ ok: 600 });
  });
});
