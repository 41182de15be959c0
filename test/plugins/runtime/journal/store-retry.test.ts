import { expect } from 'chai';
import { PlatformError, type Operation } from '../../../../kernel/index.ts';
import type { IdempotencyKeys } from '../../../../plugins/runtime/journal/keys.ts';
import { createOnce } from '../../../../plugins/runtime/journal/once.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';

const away = (): never => {
  throw new PlatformError('storage_unavailable', 'the disk is full');
};

describe('what the store refused', () => {
  let tries: number;
  let retry: StoreRetry;
  beforeEach(() => {
    tries = 0;
    retry = new StoreRetry(silentLog);
  });
  afterEach(() => retry.close());

  /** Is refused as often as it says, then taken. */
  const taken =
    (refusals: number, refuse: () => never = away) =>
    async (): Promise<void> => {
      tries += 1;
      if (tries <= refusals) refuse();
    };

  it('is written again until the store takes it', async () => {
    expect([await retry.until(taken(1), 'x'), tries]).to.deep.equal([true, 2]);
  });

  it('is told at its first refusal and at its last, not at each', async () => {
    const said: string[] = [];
    const telling = new StoreRetry({ ...silentLog, error: (_: object, text: string) => void said.push(text) });
    const until = telling.until(taken(9), 'x');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect([tries, said]).to.deep.equal([2, ['x']]);
    await telling.close();
    expect([await until, tries, said]).to.deep.equal([false, 3, ['x', 'x']]);
  });

  it('is left to the next start when it is refused for good', async () => {
    const conflict = (): never => {
      throw new Error('UNIQUE constraint failed');
    };
    expect([await retry.until(taken(1, conflict), 'x'), tries]).to.deep.equal([false, 1]);
  });

  for (const [refusals, expected] of [
    [1, true],
    [9, false],
  ] as const)
    it(`is tried once more when the platform closes: ${expected}`, async () => {
      const until = retry.until(taken(refusals), 'x');
      await retry.close();
      expect([await until, tries]).to.deep.equal([expected, 2]);
    });

  it('is tried once when it comes after the platform has closed', async () => {
    await retry.close();
    expect([await retry.until(taken(1), 'x'), tries]).to.deep.equal([false, 1]);
  });

  it('does not wait when thousands of others do: memory has an end', async () => {
    const others = Array.from({ length: 4096 }, () => retry.until(async () => away(), 'x'));
    expect([await retry.until(taken(1), 'x'), tries]).to.deep.equal([false, 1]);
    await retry.close();
    expect(new Set(await Promise.all(others))).to.deep.equal(new Set([false]));
  });

  it('can be left to what goes on behind the caller, who is told nothing', async () => {
    await retry.now(taken(1), 'x');
    expect(tries).to.equal(1);
    await retry.close();
    expect(tries).to.equal(2);
  });

  it('is the end of a key, too: work that failed frees its key once the store is back', async () => {
    const freed: string[] = [];
    const write = async (operations: readonly Operation[]) => {
      await taken(1)();
      freed.push(...operations.map(({ name }) => name));
      return operations.map(() => undefined as never);
    };
    const claim = { durable: true, name: {}, begin: () => undefined, take: async () => undefined };
    const keys = { told: (_name: object, _body: object, work: (one: object) => unknown) => work(claim) };
    const once = createOnce(keys as unknown as IdempotencyKeys, { write: write as never }, retry);
    const request = { principal: 'prn_1', method: 'POST', path: '/x', header: 'key', body: {} };
    const failed = await rejection(once(request, () => Promise.reject(new Error('no'))));
    expect([(failed as Error).message, freed]).to.deep.equal(['no', []]);
    await retry.close();
    expect(freed).to.deep.equal(['freeIdleKey']);
  });
});
