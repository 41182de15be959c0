import { expect } from 'chai';
import {
  measureOutages,
  OutageWatch,
  refusalOf,
  type OutageEvent,
} from '../../../../../plugins/ingestion/incidents/watches/outage.ts';
import { silentLog } from '../../../../../kernel/tools/log.ts';
import type { IncidentScope } from '../../../../../plugins/ingestion/incidents/store/scope.ts';
import { until } from '../../../../helpers/until.ts';

const begin = Date.UTC(2026, 10, 23);
const mail = 'notify.email@1.0.0';
const echo = 'demo.echo@1.0.0';

/** A watch under a clock of its own; one second of it per look. */
function world(open: readonly string[] = [], { shared = false } = {}) {
  const told: string[] = [];
  let now = 0;
  let broken = false;
  const record = async ({ subject, state, at_ms }: OutageEvent): Promise<void> => {
    if (broken) throw new Error('the store is down');
    told.push(`${state} ${subject} @${(at_ms - begin) / 1000}`);
  };
  const watch = new OutageWatch({
    clock: { now: () => begin + now, monotonic: () => now },
    record,
    open,
    shared: () => shared,
  });
  const down = new Set<string>();
  let refused: string | undefined;
  return {
    told,
    down,
    refuse: (why: string | undefined) => void (refused = why),
    break: (how: boolean) => void (broken = how),
    ran: (orb: string, usable: boolean, tenant = 'acme') => watch.ran(orb, usable, tenant),
    /** Lets so many seconds pass; `each` is done in every one of them. */
    async pass(seconds: number, each: (second: number) => void = () => undefined): Promise<void> {
      for (let second = 0; second < seconds; second++) {
        each(second);
        const orbs = [mail, echo].map((orb_id) => ({ orb_id, usable: !down.has(orb_id) }));
        await watch.look({ orbs, refused }).catch(() => undefined);
        now += 1000;
      }
    },
  };
}

describe('the watch over outages', () => {
  it('tells of an Orb that had no usable provider for a minute, without any run, from when it began', async () => {
    const { down, pass, told } = world();
    await pass(10);
    down.add(mail);
    await pass(60);
    expect(told).to.deep.equal([]);
    await pass(1);
    expect(told).to.deep.equal([`firing ${mail} @10`]);
    await pass(100);
    expect(told).to.have.length(1);
  });

  it('does not tell of one that was usable in between', async () => {
    const { down, pass, told } = world();
    for (let round = 0; round < 5; round++) {
      down.add(mail);
      await pass(59);
      down.clear();
      await pass(1);
    }
    expect(told).to.deep.equal([]);
  });

  it('tells of all Orbs when each of them has none', async () => {
    const { down, pass, told } = world();
    down.add(mail);
    await pass(30);
    down.add(echo);
    await pass(61);
    expect(told).to.deep.equal([`firing ${mail} @0`, `firing ${echo} @30`, 'firing * @30']);
    down.delete(mail);
    await pass(60);
    expect(told).to.have.length(3);
    await pass(1);
    expect(told.slice(3)).to.deep.equal([`resolved ${mail} @91`, 'resolved * @91']);
  });

  it('goes by what runs show where nothing is measured: a minute of failures, none of them good', async () => {
    const { pass, ran, told } = world();
    const failing = (second: number): void => (second % 20 === 0 ? ran(mail, false) : undefined);
    await pass(60, failing);
    expect(told).to.deep.equal([]);
    await pass(1, failing);
    expect(told).to.deep.equal([`firing ${mail} @0`]);
    ran(mail, true);
    await pass(61);
    expect(told[1]).to.equal(`resolved ${mail} @61`);
  });

  it('does not tell of failures with a good run among them, nor of a few with long silence between', async () => {
    const { pass, ran, told } = world();
    await pass(300, (second) => (second % 10 === 0 ? ran(mail, second % 50 === 0) : undefined));
    await pass(61);
    await pass(600, (second) => (second % 70 === 0 ? ran(mail, false) : undefined));
    expect(told).to.deep.equal([]);
  });

  it('tells of all Orbs by their runs only when each of them is out by its own', async () => {
    const { pass, ran, told } = world();
    const fail = (): void => [mail, echo].forEach((orb) => ran(orb, false));
    await pass(300, (second) => (second < 2 ? fail() : undefined));
    expect(told, 'two failures, a second apart').to.deep.equal([]);
    await pass(61, (second) => (second % 20 === 0 ? fail() : undefined));
    expect(told).to.deep.equal([`firing ${mail} @300`, `firing ${echo} @300`, 'firing * @300']);
  });

  it('takes what is bad again within five good minutes as the same outage, at once, and later as another', async () => {
    const { down, pass, told } = world();
    down.add(mail);
    await pass(61);
    down.clear();
    await pass(300);
    down.add(mail);
    await pass(1);
    down.clear();
    await pass(301);
    expect(told.slice(1)).to.deep.equal([`resolved ${mail} @61`, `firing ${mail} @361`, `resolved ${mail} @362`]);
    down.add(mail);
    await pass(60);
    expect(told).to.have.length(4);
    await pass(1);
    expect(told.slice(4)).to.deep.equal([`firing ${mail} @663`]);
  });

  it('takes what flips within a minute for one outage, over when it has been good for a whole one', async () => {
    const { down, pass, told } = world();
    down.add(mail);
    await pass(61);
    for (let flip = 0; flip < 20; flip++) {
      down.clear();
      await pass(60);
      down.add(mail);
      await pass(1);
    }
    expect(told).to.deep.equal([`firing ${mail} @0`]);
    down.clear();
    await pass(61);
    expect(told.slice(1)).to.deep.equal([`resolved ${mail} @${61 + 20 * 61}`]);
  });

  it('takes no two runs for an outage, nor runs of one tenant where there are others', async () => {
    const failing = [0, 30, 60];
    for (const [shared, tenants, is] of [
      [false, ['acme', undefined, 'acme'], false],
      [false, ['acme', 'acme', 'acme'], true],
      [true, ['acme', 'acme', 'acme'], false],
      [true, ['acme', undefined, 'other'], false],
      [true, ['acme', 'acme', 'other'], true],
    ] as const) {
      const { pass, ran, told } = world([], { shared });
      await pass(62, (second) => {
        const tenant = tenants[failing.indexOf(second)];
        if (tenant !== undefined) ran(mail, false, tenant);
      });
      expect(told, `${String(shared)} ${tenants.join()}`).to.deep.equal(is ? [`firing ${mail} @0`] : []);
    }
  });

  it('measures for a whole minute, whatever the runs of one tenant among several show', async () => {
    const { down, pass, ran, told } = world([], { shared: true });
    await pass(120, (second) => {
      if (second % 10 === 0) ran(mail, false);
      if (second === 60) down.add(mail);
    });
    expect(told).to.deep.equal([]);
    await pass(1);
    expect(told).to.deep.equal([`firing ${mail} @60`]);
  });

  it('is not held open by the failing runs of one tenant among several', async () => {
    const { down, pass, ran, told } = world([], { shared: true });
    down.add(mail);
    await pass(61);
    down.clear();
    await pass(61, (second) => (second % 5 === 0 ? ran(mail, false) : undefined));
    expect(told.slice(1)).to.deep.equal([`resolved ${mail} @61`]);
  });

  it('takes refusal of every run for an outage of all Orbs', async () => {
    const { pass, refuse, told } = world();
    refuse('no active policy can allow a run');
    await pass(61);
    refuse(undefined);
    await pass(61);
    expect(told).to.deep.equal(['firing * @0', 'resolved * @61']);
  });

  it('tries again to record what could not be recorded', async () => {
    const home = world();
    home.down.add(mail);
    home.break(true);
    await home.pass(90);
    home.break(false);
    await home.pass(1);
    expect(home.told).to.deep.equal([`firing ${mail} @0`]);
  });

  it('goes on after a restart with what was recorded before it', async () => {
    const { pass, told } = world([mail, 'gone.orb@1.0.0']);
    await pass(61);
    expect(told).to.have.members([`resolved ${mail} @0`, 'resolved gone.orb@1.0.0 @0']);
  });

  it('finds the component that refuses every run, and no other', () => {
    const down = { health: 'down', reason: 'full' } as const;
    expect(refusalOf({ store: down })).to.equal(undefined);
    expect(
      refusalOf({ store: down, policy: { health: 'degraded', reason: 'none allows', refuses_runs: true } }),
    ).to.equal('none allows');
  });
});

const [one, two] = ['one.tenant@1.0.0', 'two.tenants@1.0.0'];

/** Lets runs of both Orbs fail for a minute, the second one's in two tenants; answers the outages that were recorded. */
async function outagesAmong(tenants: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  let now = 0;
  let ran: (run: object) => void = () => undefined;
  const outages = { open: async () => [], record: async ({ subject }: { subject: string }) => told.push(subject) };
  const scope = {
    clock: { now: () => now, monotonic: () => now },
    log: silentLog,
    runtime: {
      catalog: { orbisets: new Map(tenants.map((tenant) => [`of-${tenant}`, { tenant }])) },
      orbs: () => [one, two, 'good.orb@1.0.0'].map((orb_id) => ({ orb_id, usable: true })),
    },
    platform: { components: () => ({}) },
    hooks: { of: () => ({ tap: (_: string, tap: typeof ran) => (ran = tap) }) },
  } as unknown as IncidentScope;
  const measured = measureOutages(scope, outages);
  await measured.start();
  for (; now <= 60_000; now += 10_000) {
    ran({ orb_id: one, tenant: 'acme', usable: false });
    ran({ orb_id: two, tenant: now < 50_000 ? 'acme' : 'other', usable: false });
  }
  await until(
    async () => told,
    ([newest]) => newest === two || told.length > 1,
    'an outage',
    100,
  );
  measured.stop();
  return told;
}

describe('outages that runs show', () => {
  it('are those of any tenant where there is only one', async () => {
    expect(await outagesAmong(['acme', 'acme'])).to.deep.equal([one, two]);
  });

  it('are those that two tenants met where there are several', async () => {
    expect(await outagesAmong(['acme', 'other'])).to.deep.equal([two]);
  });
});
