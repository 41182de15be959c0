import { expect } from 'chai';
import { openLedger, type OpenedLedger } from './opened.ts';
import {
  resolutionPredicate,
  runPredicate,
  startDay,
  syntheticLog,
  timeOf,
  type SyntheticLog,
} from './synthetic-log.ts';

const orbId = 'notify.email@1.0.0';

describe('following a log whose receipt key is revoked', function () {
  this.timeout(120_000);
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  beforeEach(async () => {
    log = syntheticLog();
    ledger = await openLedger(log);
  });
  afterEach(() => ledger.close());

  const countsOf = async (day: number) => (await ledger.reads.dayCounts(orbId, startDay + day, startDay + day))[0];
  const run = (day: number, caller: number, said: Parameters<typeof runPredicate>[1] = {}): string =>
    log.append('run', runPredicate({ day, second: 0, caller }, said));
  const revoke = (kid: string, index: number): string => {
    const from = { origin: log.entries[index]?.origin, index };
    return log.append('key', { kid, at: timeOf({ day: 0 }), facts: { role: 'receipt', change: 'revoked', from } });
  };
  const resolve = (...given: Parameters<typeof resolutionPredicate>): string =>
    log.append('resolution', resolutionPredicate(...given));

  it('takes back once what a revoked key signed, when the log could not be read in the middle of that', async () => {
    for (let at = 0; at < 300; at++) run(0, 1);
    await ledger.catchUp();
    revoke('k', 0);
    const { entriesAfter } = log;
    let reads = 0;
    Object.assign(log, {
      entriesAfter(...given: Parameters<SyntheticLog['entriesAfter']>) {
        reads += 1;
        // The revocation itself, the first page of what it takes back, and then no more.
        if (reads === 3) throw new Error('the store is away');
        return entriesAfter(...given);
      },
    });
    const failed = await ledger.ledger.settled().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failed)).to.include('the store is away');
    Object.assign(log, { entriesAfter });
    expect(await countsOf(0)).to.include({ ok: 300 });
    await ledger.ledger.settled();
    expect((await countsOf(0))?.ok ?? 0).to.equal(0);
  });

  it('a revoked receipt key takes back what it signed from there on, resolutions of it too', async () => {
    run(0, 1);
    log.append('run', runPredicate({ day: 0, second: 1, caller: 2 }, { outcome: 'unknown' }), 'bad');
    const unknown = log.entries.at(-1)?.receipt_id ?? '';
    log.append('run', runPredicate({ day: 0, second: 2, caller: 3 }), 'bad');
    await ledger.catchUp();
    expect(await countsOf(0)).to.include({ ok: 2, fault: 1, callers: 3 });
    revoke('bad', 1);
    resolve(unknown, 0, 'sent', 'orb_fault');
    await ledger.catchUp();
    expect(await countsOf(0)).to.include({ ok: 1, fault: 0, callers: 1 });
  });

  it('a revoked receipt key takes back the resolutions of what it signed, whoever signed those', async () => {
    run(0, 1, { outcome: 'not_sent' });
    const forged = runPredicate({ day: 0, second: 1, caller: 1 }, { outcome: 'unknown' });
    const settled = resolve(log.append('run', forged, 'bad'), 0, 'sent', 'orb_fault');
    resolve(resolve(settled, 0, 'not_sent', 'ok'), 0, 'sent', 'orb_fault');
    resolve(run(0, 1, { outcome: 'unknown' }), 0, 'sent', 'orb_fault');
    await ledger.catchUp();
    expect(await countsOf(0)).to.deep.include({ ok: 2, fault: 1, others: { resolved_ok: 2 } });
    revoke('bad', 1);
    await ledger.catchUp();
    expect(await countsOf(0), 'the fault of another run stays').to.deep.include({
      ...{ ok: 1, fault: 1 },
      others: { resolved_ok: 1 },
    });
  });

  it('a revoked receipt key leaves an Orb signed by the word of a later key', async () => {
    const isSigned = () => ledger.ledger.follower.projection.state.orbs.get(orbId)?.signed;
    const at = { day: 0, second: 0, caller: 1 };
    log.append('run', runPredicate(at), 'bad');
    revoke('bad', 0);
    await ledger.catchUp();
    expect(isSigned(), 'nobody else has said so').to.equal(false);
    log.append('run', runPredicate(at), 'worse');
    log.append('run', runPredicate(at), 'good');
    revoke('worse', 2);
    await ledger.catchUp();
    expect(isSigned()).to.equal(true);
  });
});
