import { expect } from 'chai';
import { canonical } from '../../../../kernel/tools/canonical.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { openManifests } from '../../../../plugins/runtime/manifests/open.ts';
import type { Operation, Store } from '../../../../kernel/store/contract.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

interface Told {
  readonly id: string;
  readonly faults: readonly string[];
}

describe('the manifests of the store at the start', () => {
  it('that this version cannot load are left out and told to the log; the others serve', async () => {
    const written: Operation[] = [];
    const row = (orb_id: string, more: object) => ({
      ...{ orb_id, digest: 'sha256:0', manifest: canonical(recordOrb({ orb_id, ...more })) },
    });
    const store = {
      reads: () => ({
        storedOrbs: () => [
          row('team.good@1.0.0', {}),
          row('team.bad@1.0.0', { inputs_schema: { type: 'objekt' } }),
          // An earlier version took these.
          row('team.slow@1.0.0', { inputs_schema: { type: 'object', properties: { a: { pattern: '^(a+)+$' } } } }),
          row('team.ahead@1.0.0', { inputs_schema: { type: 'object', properties: { a: { pattern: '^(?=a)' } } } }),
          row('team.circle@1.0.0', { outputs_schema: { type: 'object', allOf: [{ $ref: '#' }] } }),
        ],
        storedOrbisets: () => [
          { orbiset_id: 'good', tenant: 'a', manifest: canonical({ id: 'good', tenant: 'a', orbs: [] }) },
          { orbiset_id: 'bad', tenant: 'a', manifest: canonical({ id: 'bad', tenant: 'a' }) },
          { orbiset_id: 'gone', tenant: 'a', manifest: null },
        ],
      }),
      write: async (operations: readonly Operation[]) => written.push(...operations),
    } as unknown as Store;
    const told: unknown[] = [];
    const log = { ...silentLog, error: (fields: Told) => void told.push([fields.id, fields.faults[0]?.split(':')[0]]) };
    const { catalog } = await openManifests({ orbs: new Map(), orbisets: new Map() }, { store, log: log });
    expect([...catalog.orbs.keys()]).to.deep.equal(['team.good@1.0.0', 'team.slow@1.0.0']);
    expect(catalog.orbs.get('team.slow@1.0.0')?.inputs.validate({ a: `${'a'.repeat(40)}!` })).to.have.length(1);
    expect([...catalog.orbisets.keys()]).to.deep.equal(['good']);
    expect(told).to.deep.equal([
      ['team.bad@1.0.0', '/inputs_schema'],
      ['team.ahead@1.0.0', '/inputs_schema/properties/a/pattern'],
      ['team.circle@1.0.0', '/outputs_schema/allOf/0/$ref'],
      ['bad', '/orbs'],
    ]);
    expect(written).to.deep.equal([]);
  });
});
