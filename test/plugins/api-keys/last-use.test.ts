import { expect } from 'chai';
import type { Log, Operation, Store } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { createLastUse } from '../../../plugins/api-keys/last-use.ts';

// A store whose writes end when the test says so.
function heldStore() {
  const written: unknown[] = [];
  const waiting: PromiseWithResolvers<never>[] = [];
  const write = (operations: readonly Operation[]): Promise<never> => {
    written.push(...operations.map(({ args }) => args));
    const end = Promise.withResolvers<never>();
    waiting.push(end);
    return end.promise;
  };
  return { store: { write } as unknown as Pick<Store, 'write'>, written, waiting };
}

const noResults = [null] as never;

describe('api-keys/last-use', () => {
  it('carries in one write all that came up during the one before, each key with its last use', async () => {
    const { store, written, waiting } = heldStore();
    const lastUse = createLastUse(store, silentLog);
    lastUse.note('key_a', 0);
    lastUse.note('key_b', 1000);
    lastUse.note('key_c', 2000);
    lastUse.note('key_b', 3000);
    expect(written).to.have.length(1);
    waiting[0]?.resolve(noResults);
    const settled = lastUse.settled();
    await waiting[0]?.promise;
    await Promise.resolve();
    waiting[1]?.resolve(noResults);
    await settled;
    const use = (key_id: string, seconds: number) => ({
      ...{ key_id, at: `1970-01-01T00:00:0${seconds}.000Z`, until: `1970-01-01T00:01:0${seconds}.000Z` },
    });
    expect(written).to.deep.equal([[use('key_a', 0)], [use('key_b', 3), use('key_c', 2)]]);
  });

  it('logs a write that failed, and goes on with the next use', async () => {
    const { store, written, waiting } = heldStore();
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_, message) => warnings.push(message) };
    const lastUse = createLastUse(store, log);
    lastUse.note('key_a', 0);
    waiting[0]?.reject(new Error('the disk is full'));
    await lastUse.settled();
    expect(warnings).to.deep.equal(['the server could not record the last use of keys']);
    lastUse.note('key_a', 60_000);
    waiting[1]?.resolve(noResults);
    await lastUse.settled();
    expect(written).to.have.length(2);
  });
});
