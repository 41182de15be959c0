import { expect } from 'chai';
import { reputationRoutes } from '../../../../plugins/ledger/routes/reputation.ts';
import { openLedger, type OpenedLedger } from '../opened.ts';
import { runPredicate, standingPredicate, startDay, syntheticLog, type SyntheticLog } from '../synthetic-log.ts';
import type { Catalog } from '../../../../plugins/runtime/contract.ts';

const orbId = 'notify.email@1.0.0';

interface Profile {
  readonly status: string;
  readonly evidence: { readonly runs_counted: number };
  readonly as_of: { readonly position: { readonly index: number } };
}

describe('the route of a profile', () => {
  let log: SyntheticLog;
  let ledger: OpenedLedger;
  const asked: string[] = [];

  beforeEach(async () => {
    asked.length = 0;
    log = syntheticLog();
    ledger = await openLedger(log, {
      reading: (reads) => ({
        ...reads,
        callerDays: (...given) => (asked.push('callers'), reads.callerDays(...given)),
        dayCounts: (...given) => (asked.push('days'), reads.dayCounts(...given)),
        minutes: (...given) => (asked.push('minutes'), reads.minutes(...given)),
      }),
    });
  });
  afterEach(() => ledger.close());

  const profile = async (): Promise<Profile> => {
    const catalog = { orbs: new Map([[orbId, {}]]) } as unknown as Catalog;
    const sight = { ...ledger.service, catalog, isNamed: () => true };
    const clock = { now: () => startDay * 86_400_000 + 43_200_000, monotonic: () => 0 };
    const [route] = reputationRoutes({ ...ledger, clock, log, sight, platform: {} as never, runtime: { catalog } });
    const call = { params: { orb_id: orbId }, principal: { scopes: [] }, query: {} };
    return ((await route?.handle(call as never)) as { body: Profile }).body;
  };
  const run = async (second: number): Promise<void> => {
    log.append('run', runPredicate({ day: 0, second, caller: 1 }));
    await ledger.catchUp();
  };

  it('reads the counts of its callers once for each state of the log, and no more than it shows', async () => {
    await run(0);
    const first = await profile();
    expect(await profile()).to.deep.equal(first);
    expect(asked).to.deep.equal(['callers']);
    await run(1);
    const { as_of, evidence } = await profile();
    expect([first.evidence.runs_counted, evidence.runs_counted]).to.deep.equal([1, 2]);
    expect([first.as_of.position.index, as_of.position.index]).to.deep.equal([0, 1]);
  });

  it('shows a suspension as soon as it is folded', async () => {
    await run(0);
    expect((await profile()).status).to.equal('provisional');
    log.append('standing', standingPredicate(orbId, 0, { change: 'suspended', reason: 'x' }));
    await ledger.catchUp();
    expect((await profile()).status).to.equal('suspended');
  });
});
