import { expect } from 'chai';
import { checkDisclosure } from '../../../../plugins/receipts/verifier/disclosure.ts';
import type { Statement } from '../../../../plugins/receipts/verifier/statement.ts';
import { vectors, vectorStatement } from '../sample.ts';

const { run_receipt: run } = vectors;
const shown = (name: 'inputs' | 'outputs') => ({
  ...{ salt: Buffer.from(run.salts_hex[name], 'hex').toString('base64'), value: run.values[name] },
});
const [inputs, outputs] = [shown('inputs'), shown('outputs')];
const statement = vectorStatement();
const found = (all: readonly unknown[], of: Statement = statement) =>
  checkDisclosure(all, of).map(({ detail, result }) => [result, detail]);
const wrong = (what: string) => [['fail', `the ${what} do not match the commitment in the receipt`]];

describe('disclosed values', () => {
  it('are not checked when there are none', () => {
    expect([found([]), found([undefined, undefined])]).to.deep.equal([[], []]);
  });

  it('are named when they fit, each once, wherever they come from', () => {
    expect(found([{ outputs, inputs }])).to.deep.equal([['pass', 'outputs and inputs']]);
    expect(found([{ inputs }, undefined, { inputs, outputs }])).to.deep.equal([['pass', 'inputs and outputs']]);
    expect(found([{}])).to.deep.equal([['pass', undefined]]);
  });

  for (const [what, disclosed, named] of [
    ['another value', { inputs: { ...inputs, value: 1 } }, 'inputs'],
    ['another salt', { outputs: { ...outputs, salt: inputs.salt } }, 'outputs'],
    ['a salt that is no base64', { inputs: { ...inputs, salt: '?' } }, 'inputs'],
    ['a salt that is no text', { inputs: { ...inputs, salt: 1 } }, 'inputs'],
    ['no value', { inputs: { salt: inputs.salt } }, 'inputs'],
    ['a value without a canonical form', { inputs: { ...inputs, value: NaN } }, 'inputs'],
    ['something that is no object', { inputs: 'x' }, 'inputs'],
    ['values of another name', { policy: inputs }, 'disclosed values'],
    ['no object at all', [inputs], 'disclosed values'],
  ] as const)
    it(`are not those of the receipt: ${what}`, () => {
      expect(found([{ outputs }, disclosed])).to.deep.equal(wrong(named));
    });

  it('are none of a run without outputs, nor of another kind', () => {
    const without = vectorStatement();
    delete without.predicate.facts.outputs;
    expect(found([{ outputs }], without)).to.deep.equal(wrong('outputs'));
    const other = { ...statement, predicateType: 'urn:agent-orb:swap:v1' } as Statement;
    expect(found([{ inputs }], other)).to.deep.equal(wrong('inputs'));
  });
});
