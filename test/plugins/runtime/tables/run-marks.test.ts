import { expect } from 'chai';
import { firstIdAt, operation } from '../../../../kernel/index.ts';
import runtimeStore, { type RunRow } from '../../../../plugins/runtime/store.ts';
import notes from '../../../helpers/stores/notes.ts';
import { readsNow } from '../../../helpers/reads.ts';
import { notesModule, standingAt, Stores } from '../../../helpers/stores/open.ts';

const at = new Date(standingAt).toISOString();
const run = (number: number, more: Partial<RunRow> = {}): RunRow => ({
  ...{ run_id: firstIdAt('run', standingAt + number), tenant: 'a', orbiset_id: 'default', orb_id: 'x.y@1.0.0' },
  ...{ principal: 'prn_1', status: 'completed', reason: null, mode: 'live', provider: 'p', execution_ms: 5 },
  ...{ started_at: at, finished_at: at, receipt_id: `rec_${number}`, resolution: null, silent: null, key_id: 'key_1' },
  ...more,
});

describe('the runs of a value that few have', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  it('are found, also when the first commit of it failed, and without a provider or key', async () => {
    const store = await stores.open(stores.folder(), { modules: [{ module: runtimeStore }, notesModule] });
    const insert = (row: RunRow) => operation(runtimeStore, 'insertRun', row);
    await store.write([operation(notes, 'failNextCommits', { times: 1 })]);
    await store.write([operation(notes, 'append', { id: 'n1', text: '' }), insert(run(1))]);
    await store.write([insert(run(2, { provider: null, key_id: null }))]);
    const { listRuns } = readsNow(store, runtimeStore);
    const found = (filter: object): number => listRuns({ tenant: undefined, limit: 10, ...filter }).items.length;
    expect([found({}), found({ orbiset_id: 'default' })]).to.deep.equal([2, 2]);
    expect([found({ provider: 'p' }), found({ key_id: 'key_1' }), found({ provider: 'q' })]).to.deep.equal([1, 1, 0]);
  });
});
