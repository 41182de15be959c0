import { expect } from 'chai';
import { openLedger, type OpenedLedger } from './opened.ts';
import { runPredicate, startDay, syntheticLog, type SyntheticLog } from './synthetic-log.ts';

describe('following the log, far behind its end', function () {
  this.timeout(120_000);
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  beforeEach(async () => {
    log = syntheticLog();
    ledger = await openLedger(log);
  });
  afterEach(() => ledger.close());

  it('ends between two batches when it is stopped, and goes on from there at the next start', async () => {
    for (let caller = 0; caller < 600; caller += 1) log.append('run', runPredicate({ day: 0, second: 0, caller }));
    const { entriesAfter } = log;
    let stopped: Promise<void> | undefined;
    let reads = 0;
    Object.assign(log, {
      entriesAfter(...asked: Parameters<typeof entriesAfter>) {
        // Three are of the look ahead, each of 256 entries at most.
        if ((reads += 1) === 4) stopped = ledger.ledger().stop();
        return entriesAfter(...asked);
      },
    });
    const outcome = await ledger
      .ledger()
      .settled()
      .then(
        () => 'settled',
        (error: Error) => error.message,
      );
    await stopped;
    Object.assign(log, { entriesAfter });
    expect([outcome, ledger.ledger().follower.position?.index]).to.deep.equal(['the ledger stops', 255]);
    await ledger.close({ keep: true });
    ledger = await openLedger(log, { stateDir: ledger.stateDir });
    await ledger.ledger().settled();
    expect(ledger.reads.dayCounts('notify.email@1.0.0', startDay, startDay)[0]).to.include({ ok: 600 });
  });
});
