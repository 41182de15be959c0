import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Connection, WriterScope } from '../../../../kernel/index.ts';
import queueStore from '../../../../plugins/runtime/queue/store.ts';
import { createSealer } from '../../../../kernel/store/sealer.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';

describe('the claims that a process left in the queue', () => {
  it('stay with another process that claimed the run after they were read', async () => {
    const driver = new Driver(':memory:');
    for (const text of queueStore.migrations) driver.exec(text);
    const claimedBy = driver.prepare("UPDATE queue_runs SET state = 'claimed', node = ?, incarnation = ?");
    const base = connectionOf(driver);
    const connection: Connection = {
      prepare(sql) {
        const statement = base.prepare(sql);
        if (!sql.startsWith('SELECT run_id')) return statement;
        const all: typeof statement.all = (...values) => {
          const rows = statement.all(...values);
          claimedBy.run('zwei', '2');
          return rows;
        };
        return { ...statement, all };
      },
    };
    const scope = {
      connection,
      node: { name: 'drei', incarnation: '3' },
      sealer: createSealer(Buffer.alloc(32), 'ins_1'),
    };
    const { operations } = queueStore.write(scope as WriterScope);
    await operations.enter({
      ...{ run_id: 'run_1', tenant: 't', orbiset_id: 'x', orb_id: 'a.b@1.0.0', principal: 'prn_1', mode: 'live' },
      ...{ accepted_at: 0, run_at: 0, expires_at: 1000, request: '{}' },
    });
    const states = driver.prepare('SELECT state, incarnation FROM queue_runs');
    claimedBy.run('eins', '1');
    await operations.releaseAll({ node: scope.node, shared: true, ended: '1', except: [] });
    expect(states.all()).to.deep.equal([{ state: 'claimed', incarnation: '2' }]);
    operations.release({ run_ids: ['run_1'] });
    expect(states.all(), 'nor does a process give up a claim of another').to.deep.equal([
      { state: 'claimed', incarnation: '2' },
    ]);
    driver.close();
  });
});
