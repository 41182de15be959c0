import { expect } from 'chai';
import { Dispatcher, type DispatcherOptions } from '../../../../kernel/runtime/queue/dispatcher.ts';
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
});
