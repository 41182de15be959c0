import { expect } from 'chai';
import { Dispatcher, type DispatcherOptions } from '../../../../plugins/runtime/queue/dispatcher.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';

describe('the dispatcher of waiting runs', () => {
  it('ends when the store does not take back what it had claimed', async () => {
    const written: string[] = [];
    const dispatcher = new Dispatcher({
      lines: { clear: () => [{ run_id: 'run_1' }], counts: { running: 0, ready: 0 } },
      store: {
        write(operations: readonly { readonly name: string }[]) {
          written.push(...operations.map(({ name }) => name));
          return Promise.reject(new Error('the disk is full'));
        },
      },
      log: silentLog,
    } as unknown as DispatcherOptions);
    await dispatcher.close();
    expect(written).to.deep.equal(['release']);
  });

  it('has the runs mended that a clock which was ahead has put off, and looks at their lines', async () => {
    const written: unknown[] = [];
    const noted: unknown[] = [];
    let [now, put] = [90_000_000, 0];
    const dispatcher = new Dispatcher({
      lines: {
        ...{ clear: () => [], counts: { running: 0, ready: 0 }, take: () => undefined, wishes: () => [] },
        ...{ demands: () => [], nextDue: () => Infinity },
        note: (...line: unknown[]) => void noted.push(line),
      },
      line: {},
      store: {
        outstanding: () => 0,
        write(operations: readonly { readonly name: string; readonly args: unknown }[]) {
          written.push(...operations.map(({ name, args }) => [name, args]));
          put = 0;
          return Promise.resolve([[{ tenant: 't', orbiset_id: 'x' }]]);
        },
      },
      clock: { now: () => now },
      ...{ reads: { firstExpiry: () => undefined, lastPut: () => put }, log: silentLog },
    } as unknown as DispatcherOptions);
    const looked = async (): Promise<void> => {
      dispatcher.wake();
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    };
    dispatcher.start();
    await looked();
    expect(written).to.deep.equal([]);
    [now, put] = [3_600_000, 90_000_000];
    await looked();
    await dispatcher.close();
    expect(written).to.deep.equal([['mend', { now, after: now + 5000 }]]);
    expect(noted).to.deep.equal([['t', 'x', now]]);
  });
});
