import { expect } from 'chai';
import { orbId } from '../../../kernel/runtime/orb.ts';
import { compile } from '../../../kernel/schema.ts';

describe('an Orb id', () => {
  it('that is faulty is told how it is written', () => {
    for (const faulty of ['notify.email', 'email@1.0.0', 'notify.email@1', 'Notify.email@1.0.0'])
      expect(compile(orbId)(faulty), faulty).to.deep.equal([
        { pointer: '#', detail: 'must be written like notify.email@1.0.0' },
      ]);
    expect(compile(orbId)('notify.email@1.0.0')).to.deep.equal([]);
  });
});
