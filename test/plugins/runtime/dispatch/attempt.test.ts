import { expect } from 'chai';
import { createOrb, type Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import { checked, providerKey } from '../../../../plugins/runtime/dispatch/attempt.ts';
import { recordOrb } from '../../../helpers/recorder.ts';
import type { Outcome } from '../../../../kernel/provider/orb-hook.ts';

const orbWith = (schema: object): Orb => {
  const faults: string[] = [];
  return createOrb(recordOrb(schema), faults) ?? expect.fail(faults.join());
};
const properties = { id: { type: 'string' }, n: { type: 'integer' } };
const strict = orbWith({ outputs_schema: { type: 'object', required: ['id'], properties } });
const accepted = (outputs: unknown): Outcome => ({ outcome: 'accepted', outputs: outputs as Record<string, unknown> });

describe('the outputs of a call', () => {
  it('are valid when they fit the schema of the Orb, and kept in canonical form', () => {
    const outcome = accepted({ n: 1, id: 'x' });
    expect(checked(outcome, strict)).to.deep.equal({ outcome, outputs: '{"id":"x","n":1}', checked: 'valid' });
  });

  it('are the provider’s failure when they break it: every place is named, and they are kept', () => {
    const { outcome, outputs, checked: word } = checked(accepted({ n: 'x', id: 1 }), strict);
    expect([outcome.outcome, outputs, word]).to.deep.equal(['invalid_outputs', '{"id":1,"n":"x"}', 'invalid']);
    expect(outcome).to.have.property('message').that.includes('/id: ').and.includes('/n: ').and.includes('; ');
  });

  for (const [what, outputs] of [
    ['a number that JSON has not', { id: 'x', more: NaN }],
    ['half of a pair', { id: '\ud800' }],
  ] as const)
    it(`are the provider’s failure, and not kept, with ${what}`, () => {
      const found = checked(accepted(outputs), strict);
      expect([found.outcome.outcome, found.checked]).to.deep.equal(['invalid_outputs', 'invalid']);
      expect(found).to.not.have.property('outputs');
    });

  it('are none of a call that failed', () => {
    const outcome = { outcome: 'unknown', message: 'm' } as const;
    expect(checked(outcome, strict)).to.deep.equal({ outcome, checked: 'unchecked' });
  });

  it('are not checked by an Orb whose schema accepts anything', () => {
    const outcome = accepted({ any: 'thing' });
    for (const outputs_schema of [true, {}])
      expect(checked(outcome, orbWith({ outputs_schema }))).to.deep.equal({
        ...{ outcome, outputs: '{"any":"thing"}', checked: 'absent' },
      });
  });
});

describe('the key that a provider is handed', () => {
  it('is the same for all calls of a run at one provider, and another for any other', () => {
    const key = providerKey('run_1', 'a');
    expect(key).to.match(/^[a-z2-7]{52}$/);
    expect(providerKey('run_1', 'a')).to.equal(key);
    for (const other of [providerKey('run_1', 'b'), providerKey('run_2', 'a'), providerKey('run_', '1\0a')])
      expect(other).not.to.equal(key);
  });

  it('is base32 of SHA-256 of both, as published', () => {
    // printf 'run_1\0a' | sha256sum | xxd -r -p | base32
    expect(providerKey('run_1', 'a')).to.equal('i5t7gkir4qkwggt2zu44uub7smgzaideg443ux7wylw2rfj5fadq');
  });
});
