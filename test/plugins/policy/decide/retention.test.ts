import { expect } from 'chai';
import { firstIdAt, type Store } from '../../../../kernel/index.ts';
import policyStore from '../../../../plugins/policy/store.ts';
import { slotOf } from '../../../../plugins/row-marks/contract.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';
import { forgetDecisions } from '../../../../plugins/policy/decide/retention.ts';

// A decision that shares nothing with others.
const unshared = { shared: '', shared_text: '{"input":{"context":{}}}' };

const day = 86_400_000;

describe('the retention of decisions', () => {
  it('forgets in writes of 5,000 until one finds less', async () => {
    const asked: unknown[] = [];
    const found = [5000, 5000, 4999, 1];
    const store = {
      write: (operations: readonly unknown[]) => (asked.push(...operations), Promise.resolve([found.shift()])),
    } as unknown as Store;
    const clock = { now: () => 100 * day, monotonic: () => 0 };
    expect(await forgetDecisions(store, clock, { days: 30, rows: 7 })).to.equal(14_999);
    expect(asked).to.have.length(3);
    expect(asked[0]).to.deep.include({ args: { before: firstIdAt('dec', 70 * day), rows: 7, most: 5000 } });
  });

  it('keeps the newest of them, and what is not before the first id that is kept, in steps', async () => {
    const { driver, operations, reads } = openInMemory(policyStore);
    const id = (number: number): string => `dec_${number}`;
    for (const number of [3, 1, 5, 2, 4])
      operations.decide({
        ...{
          decision_id: id(number),
          tenant: 't',
          at: '2026-11-20',
          action: 'execute',
          allow: true,
          orb_id: '',
          principal: '',
        },
        ...{ revision: null, run_id: null, receipt_id: null, record: '{}', ...unshared },
      });
    const left = () =>
      reads
        .decisions({ limit: 9 })
        .items.map(({ decision_id }) => decision_id.slice(4))
        .join('');
    const prune = (before: number, rows: number, most: number) => operations.prune({ before: id(before), rows, most });
    expect([await prune(1, 5, 9), left()], 'as many as are kept').to.deep.equal([0, '54321']);
    expect([await prune(3, 9, 1), left()], 'one at a time, the oldest').to.deep.equal([1, '5432']);
    expect([await prune(3, 9, 9), left()], 'none that is not before').to.deep.equal([1, '543']);
    expect([await prune(1, 2, 9), left()], 'beyond the newest two').to.deep.equal([1, '54']);
    const marked = driver.prepare('SELECT DISTINCT slot FROM policy_marks ORDER BY slot').pluck().all();
    expect(marked, 'with their marks').to.deep.equal([slotOf(id(4)), slotOf(id(5))]);
  });
});
