import { expect } from 'chai';
import { createOrb } from '../../../../plugins/runtime/catalog/orb.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

function faultsOf(more: object): readonly string[] {
  const faults: string[] = [];
  const orb = createOrb(recordOrb(more), faults);
  expect(orb === undefined).to.equal(faults.length > 0);
  return faults;
}

describe('an Orb', () => {
  it('is refused with the faults of both its schemas, and with 32 of what its author must not say', () => {
    const nowhere = (count: number) => ({ allOf: Array.from({ length: count }, () => ({ $ref: '#/nowhere' })) });
    expect(faultsOf({ inputs_schema: nowhere(1), outputs_schema: nowhere(1) })).to.deep.equal([
      '/inputs_schema/allOf/0/$ref: names no schema within this one; refer to a place such as #/$defs/name',
      '/outputs_schema/allOf/0/$ref: names no schema within this one; refer to a place such as #/$defs/name',
    ]);
    expect(faultsOf({ inputs_schema: nowhere(20), outputs_schema: nowhere(20) })).to.have.length(32);
  });

  it('with a schema that accepts nothing is refused; one that accepts anything takes an object', () => {
    expect(faultsOf({ outputs_schema: false })).to.deep.equal(['/outputs_schema: false accepts nothing']);
    const orb = createOrb(recordOrb({ inputs_schema: true, outputs_schema: {} }), []);
    expect([orb?.inputs.absent, orb?.outputs.absent, orb?.inputs.validate({ any: 1 })]).to.deep.equal([true, true, []]);
    expect(orb?.inputs.validate([])).to.have.length(1);
    expect(createOrb(recordOrb(), [])?.inputs.absent).to.equal(false);
  });
});
