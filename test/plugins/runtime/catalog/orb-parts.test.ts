import { expect } from 'chai';
import { createOrb } from '../../../../plugins/runtime/catalog/orb.ts';
import { partsOf } from '../../../../plugins/runtime/catalog/orb-parts.ts';
import { unknownStanding, type Standing } from '../../../../plugins/runtime/facts/run.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

const orbWith = (more: object) => createOrb(recordOrb(more), []) ?? expect.fail('a faulty Orb');

describe('the parts of an Orb in questions and facts', () => {
  it('are the same frozen objects as long as its standing is the same, whoever calls', () => {
    const orb = orbWith({});
    const parts = partsOf(orb, unknownStanding);
    expect(partsOf(orb, { ...unknownStanding, is_self: true, caller_ref: 'x' })).to.equal(parts);
    for (const part of [parts.resource, parts.action, parts.orb, parts.data, parts.data.classes])
      expect(part).to.satisfy(Object.isFrozen);
    expect(partsOf(orbWith({}), unknownStanding)).not.to.equal(parts);
  });

  for (const [what, more] of [
    ['tier', { tier: 'gold' }],
    ['state', { state: 'suspended' }],
    ['score', { score: 7 }],
    ['signature', { signed: true }],
  ] as readonly (readonly [string, Partial<Standing>])[])
    it(`follow its ${what}`, () => {
      const orb = orbWith({});
      partsOf(orb, unknownStanding);
      const { resource } = partsOf(orb, { ...unknownStanding, ...more });
      const { signed = false, ...rest } = more;
      expect(resource).to.include({ ...rest, manifest_signed: signed });
    });

  it('have classes of data and a latency only where the manifest has them', () => {
    const bare = partsOf(orbWith({ data_classes: undefined }), unknownStanding);
    expect([bare.data, 'latency' in bare]).to.deep.equal([{ classes: [] }, false]);
    const { data, latency } = partsOf(orbWith({ latency_objective_ms: 5 }), unknownStanding);
    expect([data, latency]).to.deep.equal([{ classes: ['internal'] }, { objective_ms: 5 }]);
  });
});
