import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import { runPredicate, startDay, syntheticLog, type SyntheticLog } from './synthetic-log.ts';

describe('following the log, far behind its end', function () {
  this.timeout(120_000);
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  const { now } = performance;
  beforeEach(async () => {
    log = syntheticLog();
    ledger = await openLedger(log);
  });
  afterEach(async () => {
    performance.now = now;
    await ledger.close();
  });

  const position = (): number | undefined => ledger.ledger.follower.position?.index;
  const fill = (): void => {
    for (let caller = 0; caller < 600; caller += 1) log.append('run', runPredicate({ day: 0, second: 0, caller }));
  };

  /** Calls back while the first batch is read. */
  function inFirstBatch(callback: () => void): void {
    const { entriesAfter } = log;
    let reads = 0;
    Object.assign(log, {
      entriesAfter(...asked: Parameters<typeof entriesAfter>) {
        if ((reads += 1) === 1) callback();
        return entriesAfter(...asked);
      },
    });
  }

  it('ends between two batches when it is stopped, and goes on from there at the next start', async () => {
    fill();
    let stopped: Promise<void> | undefined;
    inFirstBatch(() => void (stopped = ledger.ledger.stop()));
    const outcome = await ledger.ledger.settled().then(
      () => 'settled',
      (error: Error) => error.message,
    );
    await stopped;
    expect([outcome, position()]).to.deep.equal(['the ledger is stopping', 255]);
    await ledger.close({ keep: true });
    ledger = await openLedger(log, { stateDir: ledger.stateDir });
    await ledger.ledger.settled();
    const [day] = await ledger.reads.dayCounts('notify.email@1.0.0', startDay, startDay);
    expect(day).to.include({ ok: 600 });
  });

  it('goes on soon after a process that was stopped in the middle of a batch, and does not rest for thrice that', async () => {
    inFirstBatch(() => void (performance.now = () => now.call(performance) + 3_600_000));
    fill();
    await until(position, (at) => at === 599);
  });
});
