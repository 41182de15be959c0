import { expect } from 'chai';
import type { Limit } from '../../../../kernel/config/config.ts';
import { PlatformError } from '../../../../kernel/error.ts';
import type { Run } from '../../../../plugins/runtime/dispatch/run-record.ts';
import { OpenRuns, RunLimits, TenantShare } from '../../../../plugins/runtime/run/run-limits.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { DispatchBed } from '../dispatch-bed.ts';

/** A run of a key in an Orbiset with limits; `heard` gets the headers that tell of them. */
function runOf(key_id: string, limits: Limit = {}, heard: Readonly<Record<string, string>>[] = []): Run {
  const run = new DispatchBed().run([]);
  const principal = { ...run.principal, key_id };
  return { ...run, principal, orbiset: { ...run.orbiset, limits }, limited: (headers) => void heard.push(headers) };
}

const refused = async (admitted: Promise<unknown>): Promise<string> => {
  const error = await rejection(admitted);
  return error instanceof PlatformError ? `${error.code}: ${error.message}` : String(error);
};

describe('the limits of runs', () => {
  it('count ten denials of a key in a second, not eleven, and those of another key apart', async () => {
    const limits = new RunLimits({});
    for (let n = 0; n < 10; n++) await limits.denied(runOf('key_1'));
    expect(await refused(limits.denied(runOf('key_1')))).to.include('rate_limited');
    await limits.denied(runOf('key_2'));
  });

  it('concern nobody unless the key or the Orbiset has one', () => {
    const rate = { rate: { count: 1, window_s: 60 } };
    const concerned = [{}, rate, { concurrency: 1 }].map((limit) => [
      new RunLimits(limit).concerns(runOf('key_1')),
      new RunLimits({}).concerns(runOf('key_1', limit)),
    ]);
    expect(concerned).to.deep.equal([
      [false, false],
      [true, true],
      [true, true],
    ]);
  });

  it('let as many runs of a key in at once as are allowed; each place that ends is free again', async () => {
    const limits = new RunLimits({ concurrency: 2 });
    const [first, second] = [await limits.admit(runOf('key_1')), await limits.admit(runOf('key_1'))];
    expect(await refused(limits.admit(runOf('key_1')))).to.include('this key may have 2 runs at the same time');
    const other = await limits.admit(runOf('key_2'));
    first();
    const third = await limits.admit(runOf('key_1'));
    expect(await refused(limits.admit(runOf('key_1')))).to.include('rate_limited');
    for (const leave of [second, third, other]) leave();
    await limits.admit(runOf('key_1'));
    await limits.admit(runOf('key_1'));
    expect(await refused(limits.admit(runOf('key_1')))).to.include('rate_limited');
  });

  it('take no place of the key for a run that its Orbiset refuses', async () => {
    const limits = new RunLimits({ concurrency: 1 });
    const full = runOf('key_1', { concurrency: 0 });
    expect(await refused(limits.admit(full))).to.include('this orbiset may have 0 runs at the same time');
    await limits.admit(runOf('key_1'));
  });

  it('hold in an Orbiset for all keys together, and are told with those of the key', async () => {
    const heard: Readonly<Record<string, string>>[] = [];
    const limits = new RunLimits({ rate: { count: 9, window_s: 60 } });
    const orbiset = { rate: { count: 1, window_s: 60 } };
    await limits.admit(runOf('key_1', orbiset, heard));
    expect(await refused(limits.admit(runOf('key_2', orbiset, heard)))).to.include('the limit of 1 runs in 60 s');
    expect(heard).to.deep.equal([
      { 'RateLimit-Policy': '"key";q=9;w=60, "orbiset";q=1;w=60', RateLimit: '"key";r=8;t=60, "orbiset";r=0;t=60' },
    ]);
  });
});

describe('the open runs', () => {
  it('are counted of their Orb and of their Orbiset until they have left', () => {
    const open = new OpenRuns();
    const run = (orb_id: string, id: string) => ({ orb: { orb_id }, orbiset: { id } }) as unknown as Run;
    const counts = () => ['a.b@1.0.0', 'c.d@1.0.0', 'own', 'other'].map((id) => open.of(id));
    const runs = [run('a.b@1.0.0', 'own'), run('a.b@1.0.0', 'other'), run('c.d@1.0.0', 'own')];
    for (const each of runs) open.enter(each);
    expect(counts()).to.deep.equal([2, 1, 2, 1]);
    const left = runs.map((each) => (open.leave(each), counts()));
    expect(left).to.deep.equal([
      [1, 1, 1, 1],
      [0, 1, 1, 0],
      [0, 0, 0, 0],
    ]);
  });
});

describe('turns at the writer', () => {
  const clock = { now: 0, monotonic: () => clock.now };
  let turns: TenantShare;
  let order: string[];
  beforeEach(() => {
    clock.now = 1000;
    turns = new TenantShare(clock);
    order = [];
  });

  const ask = (tenant: string, count: number): void => {
    for (let asked = 0; asked < count; asked += 1) {
      const turn = turns.enter(tenant);
      if (turn === undefined) order.push(tenant);
      else void turn.then(() => order.push(`${tenant} later`));
    }
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('one tenant alone is never held back', () => {
    ask('loud', 500);
    expect(order).to.have.length(500);
  });

  it('beside another one, a loud tenant has eight under way and waits behind itself; the quiet one goes at once', async () => {
    ask('quiet', 1);
    ask('loud', 50);
    expect(order.filter((name) => name === 'loud')).to.have.length(8);
    ask('quiet', 1);
    expect(order.at(-1)).to.equal('quiet');
    turns.leave('loud');
    turns.leave('loud');
    await settle();
    expect(order.slice(-2)).to.deep.equal(['loud later', 'loud later']);
    expect(order).to.have.length(12);
  });

  it('all that wait go when the other has been gone for a while: nobody is forgotten', async () => {
    ask('quiet', 1);
    ask('loud', 50);
    turns.leave('quiet');
    clock.now += 101;
    turns.leave('loud');
    await settle();
    expect(order.filter((name) => name.startsWith('loud'))).to.have.length(50);
  });

  it('every turn of a tenant ends in as many as were asked for, whoever else comes and goes', async () => {
    for (let round = 0; round < 200; round += 1) {
      ask('a', 20);
      ask('b', 3);
      clock.now += round % 7 === 0 ? 200 : 1;
      await settle();
      while (order.length > 0) turns.leave(order.pop()?.split(' ')[0] ?? '');
    }
    for (let left = 0; left < 4600; left += 1) {
      await settle();
      if (order.length === 0) break;
      turns.leave(order.pop()?.split(' ')[0] ?? '');
    }
    clock.now += 500;
    ask('a', 30);
    expect(order, 'a is alone, and nothing is still counted as under way').to.have.length(30);
  });

  it('a tenant at work is a reason to hold others back, however long ago it asked', () => {
    ask('slow', 1);
    clock.now += 10_000;
    ask('loud', 20);
    expect(order.filter((name) => name === 'loud')).to.have.length(8);
  });

  it('one that has gone for more than 100 ms is no reason: nobody is held back', () => {
    ask('gone', 1);
    turns.leave('gone');
    clock.now += 100;
    ask('loud', 20);
    expect(order.filter((name) => name === 'loud')).to.have.length(8);
    clock.now += 1;
    ask('loud', 20);
    expect(order.filter((name) => name === 'loud')).to.have.length(28);
  });

  it('a turn that ends makes room for one, not for eight', async () => {
    ask('quiet', 1);
    ask('loud', 50);
    turns.leave('loud');
    await settle();
    expect(order.filter((name) => name === 'loud later')).to.have.length(1);
  });
});
