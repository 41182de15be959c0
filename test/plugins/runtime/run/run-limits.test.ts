import { expect } from 'chai';
import type { Limit } from '../../../../kernel/config/config.ts';
import { PlatformError } from '../../../../kernel/error.ts';
import type { Run } from '../../../../plugins/runtime/dispatch/run-record.ts';
import { RunLimits } from '../../../../plugins/runtime/run/run-limits.ts';
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
