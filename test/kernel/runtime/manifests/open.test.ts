import { expect } from 'chai';
import { canonical } from '../../../../kernel/tools/canonical.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { openManifests } from '../../../../kernel/runtime/manifests/open.ts';
import type { Operation, Store } from '../../../../kernel/store/contract.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

describe('the manifests of the store at the start', () => {
  it('that this version cannot load are left out and told to the log; the others serve', async () => {
    const written: Operation[] = [];
    const row = (orb_id: string, more: object) => ({
      ...{ orb_id, digest: 'sha256:0', manifest: canonical(recordOrb({ orb_id, ...more })) },
    });
    const store = {
      reads: () => ({
        storedOrbs: () => [row('team.good@1.0.0', {}), row('team.bad@1.0.0', { inputs_schema: { type: 'objekt' } })],
        storedOrbisets: () => [
          { orbiset_id: 'good', tenant: 'a', manifest: canonical({ id: 'good', tenant: 'a', orbs: [] }) },
          { orbiset_id: 'bad', tenant: 'a', manifest: canonical({ id: 'bad', tenant: 'a' }) },
          { orbiset_id: 'gone', tenant: 'a', manifest: null },
        ],
      }),
      write: async (operations: readonly Operation[]) => written.push(...operations),
    } as unknown as Store;
    const told: unknown[] = [];
    const log = { ...silentLog, error: (fields: { readonly id?: unknown }) => void told.push(fields.id) };
    const { catalog } = await openManifests({ orbs: new Map(), orbisets: new Map() }, { store, log: log });
    expect([...catalog.orbs.keys()]).to.deep.equal(['team.good@1.0.0']);
    expect([...catalog.orbisets.keys()]).to.deep.equal(['good']);
    expect(told).to.deep.equal(['team.bad@1.0.0', 'bad']);
    expect(written).to.deep.equal([]);
  });
});
