import { expect } from 'chai';
import { defineFact, type FactOwner } from '../../../../plugins/receipts/format/fact-kind.ts';
import { kindFaults, strangeScopes } from '../../../../plugins/receipts/kinds/faults.ts';

describe('the scopes of kinds of facts', () => {
  const known = { 'watches:read': { title: 'See watches' } };
  const facts = [
    defineFact({
      kind: 'watch',
      predicate: { type: 'object', additionalProperties: false, required: ['facts'], properties: { facts: {} } },
      subject: ['watch_id'],
      scopes: ['watches:read', 'watch:see', 'constructor'],
    }),
  ];

  it('are told when they come from outside and nothing declares them', () => {
    expect(strangeScopes([{ name: 'watches', external: true, facts }], known)).to.deep.equal([
      'plugins.watches: the kind of fact watch names the scope watch:see, which nothing declares',
      'plugins.watches: the kind of fact watch names the scope constructor, which nothing declares',
    ]);
  });

  it('are not told of a shipped plugin: another that it knows may be left out', () => {
    expect(strangeScopes([{ name: 'watches', facts }], known)).to.deep.equal([]);
  });
});

describe('a declared kind of fact', () => {
  const closed = { type: 'object', additionalProperties: false } as const;
  const watch = defineFact({
    ...{ kind: 'watch', subject: ['watch_id'], scopes: [] },
    predicate: { ...closed, required: ['facts'], properties: { facts: closed } },
  });
  const faults = (change: object, ...others: FactOwner[]) =>
    kindFaults([{ name: 'watches', facts: [{ ...watch, ...change }] }, ...others]);
  const predicate = (change: object) => ({ predicate: { ...watch.predicate, ...change } });
  const at = 'plugins.watches: the kind of fact';

  it('has no fault when every verifier can check it', () => {
    const rules = [
      { fault: 'x', must: closed },
      { fault: 'x', when: closed, must: closed },
      { fault: 'x', unique: 'x' },
    ];
    for (const change of [{}, { kind: 'ab' }, { kind: 'a'.repeat(32) }, { rules }])
      expect(faults(change), JSON.stringify(change)).to.deep.equal([]);
  });

  it('may be declared by two plugins, alike', () => {
    expect(faults({}, { name: 'others', facts: [watch] })).to.deep.equal([]);
    expect(faults({}, { name: 'others', facts: [{ ...watch, scopes: ['x'] }] })).to.deep.equal([
      'plugins.others: the kind of fact watch is declared otherwise by plugins.watches',
    ]);
    const third = { name: 'third', facts: [{ ...watch, scopes: ['y'] }] };
    expect(faults({}, { name: 'others', facts: [watch] }, third)).to.deep.equal([
      'plugins.third: the kind of fact watch is declared otherwise by plugins.watches',
    ]);
  });

  const wrongName = 'is not named with two to thirty-two small letters';
  const notClosed = 'is not a closed object';
  const noFacts = 'does not require the member facts';
  for (const [what, change, fault] of [
    ['a kind of the kernel', { kind: 'run' }, 'run belongs to the kernel'],
    ['a name of one letter', { kind: 'a' }, `a ${wrongName}`],
    ['a name of 33 letters', { kind: 'a'.repeat(33) }, `${'a'.repeat(33)} ${wrongName}`],
    ['a name with a digit', { kind: 'watch2' }, `watch2 ${wrongName}`],
    ['a predicate that is open', predicate({ additionalProperties: true }), `watch ${notClosed}`],
    ['a predicate that says nothing of more', predicate({ additionalProperties: undefined }), `watch ${notClosed}`],
    ['a predicate that is no object', predicate({ type: 'array' }), `watch ${notClosed}`],
    ['facts that may be absent', predicate({ required: ['x'] }), `watch ${noFacts}`],
    ['nothing that is required', predicate({ required: undefined }), `watch ${noFacts}`],
    ['the time as a member', predicate({ properties: { at: {} } }), 'watch declares at, which every fact has'],
    ['the log as a member', predicate({ properties: { log: {} } }), 'watch declares log, which every fact has'],
    [
      'an alternative that is open',
      { predicate: { anyOf: [watch.predicate, { ...watch.predicate, additionalProperties: true }] } },
      `watch ${notClosed}`,
    ],
    ['a keyword that verifiers do not know', predicate({ if: {} }), 'watch uses if at , which verifiers do not know'],
    [
      'such a keyword in a rule',
      { rules: [{ fault: 'x', must: { if: {} } }] },
      'watch uses if at , which verifiers do not know',
    ],
    [
      'such a keyword in a condition',
      { rules: [{ fault: 'x', when: { if: {} }, must: {} }] },
      'watch uses if at , which verifiers do not know',
    ],
  ] as const)
    it(`may not have ${what}`, () => {
      expect(faults(change)).to.deep.equal([`${at} ${fault}`]);
    });
});
