import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { WriterScope } from '../../../kernel/index.ts';
import subscriptionStore, { type Tried } from '../../../plugins/subscriptions/store.ts';
import { connectionOf } from '../../helpers/stores/memory.ts';

describe('a callback whose body is erased during its try', () => {
  let driver: Driver.Database;
  beforeEach(() => {
    driver = new Driver(':memory:');
    for (const migration of subscriptionStore.migrations) driver.exec(migration);
  });
  afterEach(() => driver.close());

  for (const [state, due_at] of [
    ['waiting', 20],
    ['delivered', undefined],
  ] as const)
    it(`is not due again when the try ends: ${state}`, () => {
      const connection = connectionOf(driver);
      const { operations } = subscriptionStore.write({ connection } as Partial<WriterScope> as WriterScope);
      const reads = subscriptionStore.read(connection);
      const names = { callback_id: 'evt_1', subscription_id: 'sub_1' };
      const rest = { run_id: 'run_1', type: 'run.failed', made_at: 1, due_at: 1, body: Buffer.from('{}') };
      operations.enqueue({ ...names, ...rest, state: 'waiting', tries: 0 });
      expect(reads.due('sub_1', 10, 5)).to.have.length(1);
      expect(operations.erase({ before: 5, most: 10 })).to.equal(1);
      const tried: Tried = { ...names, state, tries: 1, last_at: 10 };
      operations.tried(due_at === undefined ? tried : { ...tried, due_at });
      expect(reads.find('evt_1')).to.include({ state: state === 'waiting' ? 'dead' : state });
      expect([reads.due('sub_1', 30, 5), reads.nextDue('sub_1')]).to.deep.equal([[], undefined]);
      // A release before this rule left such a row.
      driver.exec("UPDATE subscriptions_callbacks SET state = 'waiting', due_at = 20");
      expect([reads.due('sub_1', 30, 5), reads.nextDue('sub_1')]).to.deep.equal([[], undefined]);
    });
});
