import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { StandingChanged } from '../../../plugins/ledger/contract.ts';
import { usePostgres } from '../../helpers/use-postgres.ts';
import { until } from '../../helpers/until.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import { runPredicate, standingPredicate, startDay, syntheticLog, type SyntheticLog } from './synthetic-log.ts';

const orbId = 'notify.email@1.0.0';
const masterKey = randomBytes(32).toString('hex');

describe('the ledger of several nodes on one database', function () {
  this.timeout(120_000);
  const server = usePostgres();
  let databases = 0;
  let log: SyntheticLog;
  let open: OpenedLedger[] = [];

  afterEach(async () => {
    for (const ledger of open) await ledger.close();
    open = [];
  });

  /** Opens the ledgers of two nodes; the first has the role. */
  async function two(): Promise<readonly [OpenedLedger, OpenedLedger]> {
    log = syntheticLog();
    const database = `ledger_${++databases}`;
    await server.client(database);
    const node = async (name: string): Promise<OpenedLedger> => {
      const ledger = await openLedger(log, {
        shared: { address: server.address(database), beside: true, masterKey, node: name },
      });
      open.push(ledger);
      return ledger;
    };
    const first = await node('a');
    await until(
      () => first.role.now,
      (held) => held,
      'the role',
    );
    return [first, await node('b')];
  }
  const run = (caller = 1): string => log.append('run', runPredicate({ day: 0, second: 0, caller }));
  const suspend = (change: string): string =>
    log.append('standing', standingPredicate(orbId, 0, { change, reason: 'a test' }));
  const counts = async ({ reads }: OpenedLedger) => (await reads.dayCounts(orbId, startDay, startDay))[0];

  it('is folded by one, and the other answers what that one has folded', async () => {
    const [first, second] = await two();
    const told: StandingChanged[] = [];
    second.service.onStanding((change) => told.push(change));
    for (let at = 0; at < 300; at++) run(at % 3);
    await second.ledger.settled();
    expect(second.role.now).to.equal(false);
    expect(await counts(second)).to.include({ ok: 300, callers: 3 });
    suspend('suspended');
    await second.ledger.settled();
    expect(second.service.get(orbId)).to.include({ suspended: true });
    expect(told).to.deep.equal([{ orb_id: orbId, change: 'suspended' }]);
    suspend('lifted');
    await first.ledger.settled();
    await until(
      () => second.service.get(orbId).suspended,
      (suspended) => !suspended,
      'the change on the other node',
    );
    expect(told).to.have.length(2);
    first.setDay(1);
    await first.catchUp();
    await until(
      () => second.service.snapshot()?.day,
      (day) => day !== undefined,
      'the snapshot on the other node',
    );
    expect(second.service.get(orbId).usage).to.include({ runs_30d: 300 });
    expect(
      log.entries.filter(({ kind, statement }) => kind === 'standing' && statement.includes('snapshot')),
    ).to.have.length(1);
  });

  it('is folded on by another when the one that folds leaves, and each entry counts once', async () => {
    const [first, second] = await two();
    for (let at = 0; at < 40; at++) run();
    suspend('suspended');
    await first.ledger.settled();
    await first.close();
    open = [second];
    for (let at = 0; at < 40; at++) run();
    await second.ledger.settled();
    expect(second.role.now).to.equal(true);
    expect(await counts(second)).to.include({ ok: 80 });
    expect(second.service.get(orbId)).to.include({ suspended: true });
    expect(second.ledger.health()).to.deep.equal({ health: 'up' });
  });
});
