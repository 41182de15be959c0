import { expect } from 'chai';
import { boundOf, commitTo, covers } from '../../../plugins/approvals/bound.ts';
import type { Ask, HeldRun } from '../../../plugins/runtime/contract.ts';

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const ask = (bind: Ask['bind']): Ask => ({
  ...{ code: 'outside', message: 'x', approvers: 'office', of: 1, expires_s: 3600, bind, policies: ['mail'] },
});
const salt = commitTo('{"to":"a"}').salt;
const run: HeldRun = {
  ...{ run_id: 'run_1', orb_id: 'a.b@1.0.0', orbiset_id: 'default', principal: 'prn_1', mode: 'live' },
  ...{ manifest_digest: digestOf('a'), delivery: 'at_most_once', revision: digestOf('b'), inputs: '{"to":"a"}', salt },
  providers: [{ name: 'one', config_digest: digestOf('c') }],
};
const two = [...run.providers, { name: 'two', config_digest: digestOf('d') }];

describe('what an approval is bound to', () => {
  const cases: readonly (readonly [what: string, change: Partial<HeldRun>, inputs: boolean, provider: boolean])[] = [
    ['the same run', {}, true, true],
    ['other inputs', { inputs: '{"to":"b"}' }, false, false],
    ['inputs with another salt', { salt: commitTo('x').salt }, false, false],
    ['another run', { run_id: 'run_2' }, false, false],
    ['another requester', { principal: 'prn_2' }, false, false],
    ['another manifest', { manifest_digest: digestOf('e') }, false, false],
    ['another delivery', { delivery: 'at_least_once' }, false, false],
    ['another mode', { mode: 'sandbox' }, false, false],
    ['other policies', { revision: digestOf('f') }, true, true],
    ['one more provider', { providers: two }, true, false],
    ['another order', { providers: two.toReversed() }, true, false],
    ['another configuration', { providers: [{ name: 'one', config_digest: digestOf('d') }] }, true, false],
  ];
  for (const [what, change, inputs, provider] of cases)
    for (const [bind, expected] of [
      ['inputs', inputs],
      ['provider', provider],
    ] as const)
      it(`covers ${what} with bind: ${bind}: ${expected ? 'yes' : 'no'}`, () => {
        const { bound } = boundOf(run, [ask(bind)]);
        expect(covers(bound, boundOf({ ...run, ...change }, [ask(bind)]).bound)).to.equal(expected);
      });
});
