import { expect } from 'chai';
import { operation, PlatformError } from '../../../kernel/index.ts';
import { ProviderError } from '../../../kernel/adapter.ts';
import runtimeStore from '../../../plugins/runtime/store.ts';
import { createOrb } from '../../../plugins/runtime/catalog/orb.ts';
import type { Metered } from '../../../plugins/runtime/contract.ts';
import { recordOrb } from '../../helpers/recorder.ts';
import { StreamingBed } from './streaming-bed.ts';

// Like the write of a budget that is used up: an operation that throws a problem.
const refusing = operation(runtimeStore, 'resolveRun', {
  run_id: 'run_none',
  status: 'failed',
  resolution: 'rec_none',
  silent: null,
});

describe('a metered run', () => {
  let bed: StreamingBed;
  beforeEach(() => {
    bed = new StreamingBed();
  });
  afterEach(() => bed.platform.stop());

  const runs = async (): Promise<number> => (await bed.platform.call('GET', '/runs')).body.runs.length;

  for (const key of [undefined, 'once'])
    it(`reserves with its intent, before its first call, and settles with its receipt${key === undefined ? '' : ', also under a key'}`, async () => {
      await bed.start({ metered: true });
      let reserved: number | undefined;
      bed.behaviour['a'] = async () => void (reserved = await bed.reserved());
      const told: Metered[] = [];
      const { result } = await bed.stream({ watcher: { metered: (metered) => told.push(metered) } }, key);
      expect([reserved, await bed.reserved()]).to.deep.equal([1, 1]);
      const [[run, end] = [], ...more] = bed.settled;
      expect(more).to.deep.equal([]);
      expect(run).to.deep.include({ run_id: result?.run_id, orb_id: 'test.record@1.0.0', inputs: { token: 'x' } });
      expect(run?.candidates).to.deep.equal([
        { provider: 'a', adapter: 'record/stream', config: { name: 'a', drains: false } },
        { provider: 'b', adapter: 'record/stream', config: { name: 'b', drains: false } },
      ]);
      expect(end).to.deep.include({ status: 'completed', provider: 'a', billed: 'yes' });
      expect(end?.outputs).to.deep.equal(result?.outputs);
      const usage = { input_tokens: 3, source: 'vendor' };
      expect((await bed.run(result?.run_id ?? '')).facts.usage).to.deep.equal(usage);
      expect(told).to.deep.equal([{ usage, billed: 'yes' }]);
    });

  it('that fails over reserves once, and its bill is unknown as soon as one attempt is', async () => {
    await bed.start({ metered: true, timeout_ms: 5000 });
    const faults = ['provider_fault', 'unknown'] as const;
    for (const [index, outcome] of faults.entries()) {
      bed.behaviour['a'] = () => {
        throw new ProviderError(outcome, 'no');
      };
      await bed.stream();
      expect(await bed.reserved()).to.equal(index + 1);
    }
    const [known, unknown] = bed.settled.map(([, end]) => end);
    expect([known?.billed, known?.attempts.map(({ billed }) => billed)]).to.deep.equal(['yes', ['no', 'yes']]);
    expect([unknown?.billed, unknown?.attempts.at(-1)?.billed]).to.deep.equal(['unknown', 'yes']);
    expect(unknown?.provider).to.equal('b');
  });

  it('asks each provider once: a second call could be billed a second time', async () => {
    await bed.start({ metered: true, timeout_ms: 5000 });
    const asked: string[] = [];
    for (const name of ['a', 'b'])
      bed.behaviour[name] = () => {
        asked.push(name);
        throw new ProviderError('unknown', 'no');
      };
    expect((await bed.stream()).code).to.equal('provider_failed');
    expect(asked).to.deep.equal(['a', 'b']);
  });

  it('that is cut has no outputs, an unknown bill, and the last count that was emitted', async () => {
    await bed.start({ metered: true });
    bed.behaviour['a'] = async ({ emit }) => {
      for (const tokens of [1, 2]) await emit?.({ type: 'usage', tokens });
      throw new ProviderError('unknown', 'the stream broke off', { phase: 'response' });
    };
    expect((await bed.stream()).code).to.equal('stream_interrupted');
    const [, end] = bed.settled[0] ?? [];
    expect(end).to.deep.include({ status: 'failed', billed: 'unknown', partial: { type: 'usage', tokens: 2 } });
    expect(end?.outputs).to.equal(undefined);
  });

  for (const key of [undefined, 'once'])
    it(`is refused by what rides with its intent: nothing is written, sent or settled${key === undefined ? '' : ', and its key is free'}`, async () => {
      await bed.start({ metered: true });
      bed.beside = [refusing];
      const { code, run_id } = await bed.stream({}, key);
      expect([code, run_id]).to.deep.equal(['resolution_conflict', undefined]);
      expect([await bed.reserved(), await runs(), bed.calls, bed.settled]).to.deep.equal([0, 0, [], []]);
      bed.beside = [];
      const again = await bed.stream({}, key);
      expect([again.result?.status, again.replayed, await bed.reserved()]).to.deep.equal(['completed', false, 1]);
    });

  it('is refused by the meter itself, over HTTP too', async () => {
    await bed.start({ metered: true });
    bed.meter.reserve = () => {
      throw new PlatformError('rate_limited', 'too many tokens', { retry_after: 7 });
    };
    const body = { orb_id: 'test.record@1.0.0', inputs: { token: 'x' } };
    const { status, headers } = await bed.platform.call('POST', '/orbisets/default/execute', body);
    expect([status, headers.get('retry-after'), await runs(), bed.calls]).to.deep.equal([429, '7', 0, []]);
  });

  it('that waits is settled when it returns to the queue unsent, and reserves again', async () => {
    await bed.start({ metered: true });
    const { promise: served, resolve } = Promise.withResolvers<void>();
    const refused = (): never => {
      throw new ProviderError('not_sent', 'no connection', { phase: 'connect' });
    };
    Object.assign(bed.behaviour, { a: refused, b: refused });
    bed.meter.settle = (_, end) => {
      bed.settled.push([_, end]);
      if (end.billed === 'no') bed.behaviour['a'] = () => undefined;
      else resolve();
      return { operations: [] };
    };
    const body = { orb_id: 'test.record@1.0.0', inputs: { token: 'x' }, mode: 'async' };
    expect((await bed.platform.call('POST', '/orbisets/default/execute', body)).status).to.equal(202);
    await served;
    expect(bed.settled.map(([, { billed }]) => billed)).to.deep.equal(['no', 'yes']);
    expect(bed.calls.length).to.be.greaterThan(2);
  });

  it('of an Orb that is not metered is none: nothing is reserved or settled', async () => {
    await bed.start();
    expect((await bed.stream()).result?.status).to.equal('completed');
    expect([await bed.reserved(), bed.settled]).to.deep.equal([0, []]);
  });
});

describe('the manifest of a metered Orb', () => {
  const faultsOf = (more: object): string[] => {
    const faults: string[] = [];
    createOrb(recordOrb(more), faults);
    return faults;
  };

  it('is refused by a program that does not know the flag, as any unknown member is', () => {
    expect(faultsOf({ metered: true })).to.deep.equal([]);
    expect(faultsOf({ metred: true })).to.have.length(1);
  });
});
