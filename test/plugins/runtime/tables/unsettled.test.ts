import { expect } from 'chai';
import { providerKey } from '../../../../plugins/runtime/facts/provider-key.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { silentCalls } from '../../../../plugins/runtime/tables/unsettled.ts';
import type { RunRow } from '../../../../plugins/runtime/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';

const row = (run_id: string, status: RunRow['status'], silent: string | null): RunRow => ({
  ...{
    run_id,
    tenant: 't',
    orbiset_id: 's',
    orb_id: 'a.b@1.0.0',
    principal: 'prn_1',
    status,
    reason: null,
    key_id: null,
    silent,
  },
  ...{ mode: 'live', provider: 'a', started_at: '2026', finished_at: '2026', execution_ms: 1, receipt_id: run_id },
  resolution: null,
});

describe('the keys of runs whose outcome is unknown', () => {
  it('find the run of each provider that did not answer, until it is resolved', async () => {
    const { driver, operations, reads } = openInMemory(runtimeStore);
    await operations.insertRun(row('run_1', 'indeterminate', '["a","b"]'));
    await operations.insertRun(row('run_2', 'completed', null));
    for (const provider of ['a', 'b'])
      expect(reads.findUnsettled(providerKey('run_1', provider))).to.deep.equal({ run_id: 'run_1' });
    expect(reads.findUnsettled(providerKey('run_2', 'a'))).to.equal(undefined);
    const resolved = { run_id: 'run_1', status: 'completed', resolution: 'rec_2', silent: '["a","b"]' } as const;
    await operations.resolveRun(resolved);
    expect(driver.prepare('SELECT count(*) FROM runtime_unsettled').pluck().get()).to.equal(0);
    driver.close();
  });

  it('are those that the providers were handed', () => {
    expect(silentCalls({ run_id: 'run_1', silent: null })).to.deep.equal([]);
    const calls = [{ provider: 'a', key: providerKey('run_1', 'a') }];
    expect(silentCalls({ run_id: 'run_1', silent: '["a"]' })).to.deep.equal(calls);
  });
});
