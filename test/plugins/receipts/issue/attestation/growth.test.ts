import { expect } from 'chai';
import { createGrowth } from '../../../../../plugins/receipts/issue/attestation/growth.ts';
import { until } from '../../../../helpers/until.ts';

function create() {
  const done: string[] = [];
  const keys = {
    hasLog: false,
    fault: undefined as Error | undefined,
    refresh: async (): Promise<void> => {
      done.push('refresh');
      if (keys.fault !== undefined) throw keys.fault;
      keys.hasLog = true;
    },
  };
  const log = { error: ({ err }: { readonly err?: unknown }) => void done.push(String(err)) };
  return { done, keys, growth: createGrowth({ keys, log: log, grew: () => void done.push('grew') }) };
}

describe('the growth of the log', () => {
  it('reads the key of a log that its first entry opens, before the receipt is answered, and no more later', async () => {
    const { done, growth } = create();
    await growth.moved();
    await growth.moved();
    expect(done).to.deep.equal(['refresh', 'grew', 'grew']);
    growth.stop();
  });

  it('does not reject when the key cannot be read, which is tried again until it can', async () => {
    const { done, growth, keys } = create();
    keys.fault = new Error('the store is away');
    await growth.moved();
    await growth.moved();
    const failed = ['refresh', 'Error: the store is away', 'grew'];
    expect(done).to.deep.equal([...failed, ...failed]);
    keys.fault = undefined;
    await until(
      () => keys.hasLog,
      (known) => known,
      'the key',
    );
    expect(done.slice(6)).to.deep.equal(['refresh']);
    growth.stop();
  });

  it('tries no more once it has stopped', async () => {
    const { done, growth, keys } = create();
    keys.fault = new Error('the store is away');
    await growth.moved();
    growth.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(done.filter((one) => one === 'refresh')).to.have.length(1);
  });
});
