import { expect } from 'chai';
import type { PlatformError } from '../../../kernel/index.ts';
import { rejection } from '../../helpers/stores/open.ts';
import { until } from '../../helpers/until.ts';
import { openLedger, type OpenedLedger } from './opened.ts';
import { runPredicate, standingPredicate, syntheticLog, type SyntheticLog } from './synthetic-log.ts';

const orbId = 'notify.email@1.0.0';
const many = 2500;

describe('a start behind the log', function () {
  this.timeout(120_000);
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  beforeEach(async () => {
    log = syntheticLog();
    ledger = await openLedger(log);
  });
  afterEach(() => ledger.close());

  const run = (second: number): string => log.append('run', runPredicate({ day: 0, second, caller: 1 }));
  const standing = (change: 'suspended' | 'lifted'): string =>
    log.append('standing', standingPredicate(orbId, 0, { change, reason: 'x', principal: 'prn_1' }));
  const stateOf = (): string => ledger.desk.standing(orbId, 'prn_1', 'acme').state;
  const counted = (): number => ledger.ledger.follower.position?.index ?? -1;

  /** Closes the ledger, adds entries while it is down, and opens it again. */
  const reopened = async (adding: () => void): Promise<void> => {
    await ledger.close({ keep: true });
    adding();
    ledger = await openLedger(log, { stateDir: ledger.stateDir });
  };
  const runsAnd = (last: () => void) => (): void => {
    for (let second = 2; second < many; second++) run(second);
    last();
  };

  it('serves at once from the committed projection, with all that the log says besides runs', async () => {
    run(1);
    await ledger.catchUp();
    await reopened(runsAnd(() => standing('suspended')));
    await ledger.ledger.begin();
    expect(counted(), 'no run was counted yet').to.equal(0);
    expect(stateOf()).to.equal('suspended');
    expect(ledger.service.asOf()).to.deep.equal({ origin: log.heads()[0]?.origin, index: 0 });
    expect(ledger.ledger.health()).to.deep.equal({
      health: 'degraded',
      reason: `${many - 1} entries of the log are not counted yet`,
    });
    expect(ledger.service.get(orbId).status).to.equal('suspended');

    standing('lifted');
    await ledger.service.settled();
    expect([stateOf(), ledger.service.asOf()?.index], 'what comes meanwhile is taken in too').to.deep.equal([
      'active',
      0,
    ]);

    await until(
      () => ledger.service.asOf(),
      (asOf) => asOf === undefined,
      'the end of the log',
    );
    expect(counted()).to.equal(many);
    expect(ledger.ledger.health()).to.deep.equal({ health: 'up' });
    expect(ledger.ledger.projection).to.equal(ledger.ledger.follower.projection);
    expect(stateOf()).to.equal('active');
  });

  it('takes in by itself what is attested while it is behind', async () => {
    run(1);
    await ledger.catchUp();
    await reopened(runsAnd(() => undefined));
    await ledger.ledger.begin();
    const told: unknown[] = [];
    ledger.service.onStanding((change) => told.push(change));
    standing('suspended');
    await until(stateOf, (state) => state === 'suspended', 'the suspension', 1);
    expect(told).to.deep.include({ orb_id: orbId, change: 'suspended' });
  });

  it('answers 503 until the log is read for the first time, then as ever', async () => {
    await reopened(runsAnd(() => standing('suspended')));
    await ledger.ledger.begin();
    for (const ask of [
      () => ledger.service.settled(),
      async () => ledger.desk.standing(orbId, 'prn_1', 'acme'),
      async () => ledger.service.listings(),
    ])
      expect(((await rejection(ask())) as PlatformError).code).to.equal('ledger_behind');
    expect(ledger.ledger.health().health).to.equal('down');
    await until(
      () => ledger.ledger.health().health,
      (health) => health === 'up',
      'the end of the log',
    );
    expect(stateOf()).to.equal('suspended');
    await ledger.service.settled();
  });

  it('near its end is a start at its end: a short rest is folded first', async () => {
    await reopened(() => {
      for (let second = 1; second <= 1000; second++) run(second);
    });
    await ledger.ledger.begin();
    expect([counted(), ledger.service.asOf()]).to.deep.equal([999, undefined]);
  });

  it('tells the listeners of reputation once it has caught up', async () => {
    run(1);
    ledger.setDay(1);
    await ledger.catchUp();
    await reopened(runsAnd(() => undefined));
    let told = 0;
    ledger.service.onSnapshot(() => told++);
    await ledger.ledger.begin();
    await until(
      () => ledger.service.asOf(),
      (asOf) => asOf === undefined,
      'the end of the log',
    );
    expect(told).to.equal(1);
  });
});
