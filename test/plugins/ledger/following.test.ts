import { expect } from 'chai';
import { callerRef } from '../../../plugins/ledger/reputation/caller.ts';
import { generate } from './generator.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import {
  incidentPredicate,
  resolutionPredicate,
  runPredicate,
  standingPredicate,
  startDay,
  syntheticLog,
  timeOf,
  type SyntheticLog,
} from './synthetic-log.ts';

const orbId = 'notify.email@1.0.0';

describe('following the log', function () {
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
  const resolve = (...given: Parameters<typeof resolutionPredicate>): string =>
    log.append('resolution', resolutionPredicate(...given));

  it('counts late runs, resolutions and their corrections on the day of the run, from the next snapshot on', async () => {
    const unknown = run(0, 1, { outcome: 'unknown' });
    run(1, 1);
    ledger.setDay(1);
    await ledger.catchUp();
    const first = (await ledger.reads.snapshot('2026-01-01'))?.digest;
    expect(await countsOf(0)).to.include({ ok: 0, fault: 1 });
    const settled = resolve(unknown, 0, 'sent', 'orb_fault');
    run(0, 2);
    ledger.setDay(2);
    await ledger.catchUp();
    expect(await countsOf(0)).to.deep.include({ ok: 2, fault: 0, callers: 2, others: { resolved_ok: 1 } });
    expect((await ledger.reads.snapshot('2026-01-01'))?.digest).to.equal(first);
    expect((await ledger.reads.history(orbId, '2026-01-01', '2026-01-02')).map(({ row }) => row.counted)).to.deep.equal(
      [1, 3],
    );
    resolve(settled, 0, 'not_sent', 'ok');
    await ledger.catchUp();
    expect(await countsOf(0)).to.deep.include({ ok: 1, fault: 1, others: { resolved_ok: 0 } });
  });

  it('takes the snapshot of a day ten minutes after its end, once', async () => {
    run(0, 1);
    for (const [minutes, day] of [
      [9, undefined],
      [10, '2026-01-01'],
      [11, '2026-01-01'],
    ] as const) {
      ledger.setDay(0.5 + minutes / 1440);
      await ledger.catchUp();
      expect(ledger.service.snapshot()?.day, `00:${minutes}`).to.equal(day);
    }
    expect(log.entries.filter(({ kind }) => kind === 'standing')).to.have.length(1);
  });

  it('goes on where it stood after a write that failed, and counts nothing twice', async () => {
    run(0, 1);
    await ledger.catchUp();
    const { projection, position } = ledger.ledger.follower;
    expect(position?.index).to.equal(0);
    run(0, 2);
    const { entriesAfter } = log;
    Object.assign(log, {
      entriesAfter() {
        throw new Error('the store is away');
      },
    });
    const failed = await ledger.ledger.settled().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failed)).to.include('the store is away');
    expect(ledger.ledger.health().health).to.equal('down');
    Object.assign(log, { entriesAfter });
    await ledger.ledger.settled();
    expect(ledger.ledger.health().health).to.equal('up');
    expect(ledger.ledger.follower.projection).to.not.equal(projection);
    expect(await countsOf(0)).to.include({ ok: 2, callers: 2 });
  });

  it('counts once what was folded and not written, when the write failed', async () => {
    run(0, 1);
    run(0, 1);
    ledger.failWrite();
    const failed = await ledger.ledger.settled().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failed)).to.include('the disk is full');
    expect(await countsOf(0)).to.equal(undefined);
    await ledger.ledger.settled();
    expect(await countsOf(0)).to.include({ ok: 2, callers: 1 });
  });

  it('catches up after a restart, in its own time', async () => {
    run(0, 1);
    await ledger.catchUp();
    await ledger.close({ keep: true });
    for (const at of generate(1, 4, 100)) log.append('run', runPredicate(at));
    ledger = await openLedger(log, { stateDir: ledger.stateDir });
    expect(await countsOf(0)).to.include({ ok: 1 });
    await ledger.ledger.settled();
    expect(await countsOf(0)).to.include({ ok: 401, callers: 4 });
  });

  it('an open critical incident that takes half of the runs suspends at gold at once, and gives gold back', async () => {
    for (let day = 0; day < 36; day++) {
      for (const at of generate(1, 10, 4)) log.append('run', runPredicate({ ...at, day }));
      ledger.setDay(day + 1);
      await ledger.catchUp();
      if (day !== 15) continue;
      const { next_tier } = ledger.service.get(orbId);
      expect(next_tier?.tier).to.equal('silver');
      expect(next_tier?.unmet.map(({ gate, needed, present }) => [gate, needed, present])).to.deep.equal([
        ['consecutive_snapshots', '7', '3'],
      ]);
    }
    expect(ledger.service.get(orbId).tier).to.equal('gold');
    for (const at of generate(1, 10, 1))
      log.append('run', runPredicate({ ...at, day: 36 }, { provider: at.caller < 5 ? 'a' : 'b' }));
    log.append('incident', incidentPredicate('inc_1', 36));
    await ledger.ledger.settled();
    expect(ledger.service.get(orbId)).to.deep.include({
      tier: 'none',
      suspended: true,
      suspended_tier: 'gold',
      suspension_causes: ['critical_incident'],
      status: 'suspended',
    });
    const facts = {
      change: 'changed',
      change_number: 2,
      state: 'resolved',
      ends_at: timeOf({ day: 36 }),
      deliveries: [],
    };
    log.append('incident', incidentPredicate('inc_1', 36, facts));
    await ledger.ledger.settled();
    expect(ledger.service.get(orbId)).to.include({ tier: 'gold', suspended: false });
    const events = (await ledger.service.tierEvents(orbId)).map(({ change, to }) => `${change} ${to}`);
    expect(events.slice(-2)).to.deep.equal(['suspended none', 'restored gold']);
  });

  it('a version that an incident of the one before it suspends has its tier back as soon as that is over', async () => {
    const [next, scope] = ['notify.email@1.1.0', [{ kind: 'orb', id: orbId }]];
    run(0, 1);
    for (let day = 0; day < 38; day++) {
      for (const at of generate(1, 10, 4)) log.append('run', runPredicate({ ...at, day }, { orb_id: next }));
      if (day === 37) log.append('incident', incidentPredicate('inc_1', day, { scope }));
      ledger.setDay(day + 1);
      await ledger.catchUp();
    }
    expect(ledger.service.get(next)).to.include({ suspended: true, suspended_tier: 'gold' });
    const over = { change: 'changed', change_number: 2, state: 'resolved', ends_at: timeOf({ day: 38 }), scope };
    log.append('incident', incidentPredicate('inc_1', 38, { ...over, starts_at: timeOf({ day: 37 }) }));
    await ledger.ledger.settled();
    expect(ledger.service.get(next)).to.include({ suspended: false, tier: 'gold' });
  });

  it('a revoked namespace suspends its Orbs, a grant restores them; yanked is none for good', async () => {
    run(0, 1);
    const owner = { tenant: 'default' };
    const namespace = (change: string): string =>
      log.append('namespace', { namespace: 'notify', at: timeOf({ day: 0 }), facts: { change, owner } });
    const told: string[] = [];
    ledger.service.onStanding(({ orb_id, namespace: name, change }) => told.push(`${orb_id ?? name} ${change}`));
    namespace('granted');
    namespace('revoked');
    await ledger.ledger.settled();
    expect(ledger.service.get(orbId).suspension_causes).to.deep.equal(['namespace_revoked']);
    namespace('granted');
    log.append('standing', standingPredicate(orbId, 0, { change: 'published', manifest_signed: true }));
    log.append('standing', standingPredicate(orbId, 0, { change: 'yanked', reason: 'wrong' }));
    log.append('standing', standingPredicate(orbId, 0, { change: 'published' }));
    await ledger.ledger.settled();
    expect(ledger.service.get(orbId).suspended).to.equal(false);
    expect(ledger.service.listing(orbId)).to.include({ state: 'yanked', reason: 'wrong' });
    expect(ledger.service.get(orbId).next_tier).to.equal(undefined);
    expect(told).to.include.members(['notify revoked', 'notify granted', `${orbId} suspended`, `${orbId} yanked`]);
  });

  it('says who the caller is by profile: each principal, or each tenant; and who the owner is', async () => {
    const owner = { tenant: 'acme', principal: 'prn_a' };
    log.append('namespace', { namespace: 'notify', at: timeOf({ day: 0 }), facts: { change: 'granted', owner } });
    await ledger.ledger.settled();
    const multi = (principal: string, tenant: string) => ledger.desk.standing(orbId, principal, tenant);
    expect(multi('prn_a', 'acme').caller_ref).to.equal(multi('prn_b', 'acme').caller_ref);
    expect(multi('prn_a', 'acme').caller_ref).to.not.equal(multi('prn_a', 'other').caller_ref);
    expect([multi('prn_b', 'acme').is_self, multi('prn_a', 'other').is_self]).to.deep.equal([true, false]);
    await ledger.close({ keep: true });
    ledger = await openLedger(log, { stateDir: ledger.stateDir, profile: 'single-org' });
    await ledger.ledger.settled();
    const single = (principal: string) => ledger.desk.standing(orbId, principal, 'acme');
    expect(single('prn_a').caller_ref).to.not.equal(single('prn_b').caller_ref);
    expect([single('prn_a').is_self, single('prn_b').is_self]).to.deep.equal([true, false]);
    log.append('namespace', { namespace: 'notify', at: timeOf({ day: 0 }), facts: { change: 'revoked', owner } });
    await ledger.ledger.settled();
    expect(single('prn_a')).to.include({ is_self: false, state: 'suspended' });
    expect(single('prn_a').caller_ref).to.match(/^[0-9a-f]{64}$/);
  });

  it('hides a caller otherwise in each namespace, by HMAC-SHA256', () => {
    const ref = callerRef(Buffer.from('secret'));
    // printf 'prn_a\0notify' | openssl dgst -sha256 -hmac secret
    expect(ref('prn_a', 'notify')).to.equal('e552ebbe86c5c9c720d9f5c9935663f93131c6bb1de12ef499e8b49c43a755ea');
    expect(ref('prn_a', 'notify')).to.not.equal(ref('prn_a', 'other'));
  });

  it('costs as much per entry after 10 000 entries as after 1 000: one row per caller, day and minute', async () => {
    await ledger.ledger.settled();
    const seen: number[] = [];
    let reads = 0;
    const { entriesAfter } = log;
    Object.assign(log, {
      entriesAfter(...args: Parameters<typeof entriesAfter>) {
        const entries = entriesAfter(...args);
        // Not the look at the first entry, by which the first day is known.
        if (args[1] > 1) reads += entries.length;
        return entries;
      },
    });
    const cells = async () => {
      const [day] = await ledger.reads.dayCounts(orbId, startDay, startDay);
      return [day?.callers, (await ledger.reads.callerDays(orbId, startDay, startDay)).length];
    };
    for (const until of [1000, 10_000]) {
      const already = log.entries.length;
      for (const at of generate(1, 10, (until - already) / 10))
        log.append('run', runPredicate({ ...at, second: at.i % 60 }));
      reads = 0;
      await ledger.ledger.settled();
      seen.push(reads / (until - already));
      expect(await cells()).to.deep.equal([10, 10]);
    }
    // Each entry is read once, however many there were before.
    expect(seen).to.deep.equal([1, 1]);
    expect(await countsOf(0)).to.include({ ok: 10_000 });
  });
});
