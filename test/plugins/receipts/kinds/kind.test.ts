import { expect } from 'chai';
import { defineFact } from '../../../../plugins/receipts/format/fact-kind.ts';
import {
  declaredKinds,
  isOwnKind,
  kindOf,
  kindsWith,
  predicateType,
  subjectName,
} from '../../../../plugins/receipts/kinds/kind.ts';
import type { OtherPredicate } from '../../../../plugins/receipts/kinds/predicate.ts';
import { resolvedClass } from '../../../../plugins/receipts/kinds/resolution.ts';
import { findMisfit } from '../../../../plugins/receipts/format/schema.ts';

const closed = { type: 'object', additionalProperties: false } as const;
const watch = defineFact({
  kind: 'watch',
  predicate: { ...closed, required: ['facts'], properties: { facts: closed } },
  subject: ['watch_id', 'orb_id'],
  scopes: ['watches:read'],
  rules: [{ fault: 'never', must: { const: 'x' } }],
});
const either = defineFact({
  ...watch,
  kind: 'either',
  predicate: { anyOf: [watch.predicate, { ...watch.predicate, properties: { facts: { type: 'array' } } }] },
});

describe('the type of a predicate', () => {
  it('names its kind, of the first version, and no other type does', () => {
    expect(kindOf(predicateType('watch'))).to.equal('watch');
    for (const type of [
      'urn:agent-orb:run:v2',
      'xurn:agent-orb:run:v1',
      'urn:agent-orb:run:v10',
      'urn:agent-orb::v1',
      1,
    ])
      expect(kindOf(type), `${type}`).to.equal(undefined);
  });
});

describe('the kinds of facts', () => {
  it('of the kernel and of receipts are their own', () => {
    expect(['run', 'resolution', 'swap', 'key', 'watch'].filter(isOwnKind)).to.deep.equal([
      ...['run', 'resolution', 'swap', 'key'],
    ]);
  });

  it('are the own ones when no others are declared, and else those too, made once for each list', () => {
    const declared = [watch, either];
    expect([...kindsWith(undefined).keys()]).to.deep.equal(['resolution', 'swap', 'key']);
    expect([...kindsWith(declared).keys()]).to.deep.equal(['resolution', 'swap', 'watch', 'either', 'key']);
    expect(kindsWith(declared)).to.equal(kindsWith(declared));
    expect(kindsWith([watch]).has('either')).to.equal(false);
  });

  it('keep the scopes, the subject and the rules that were declared', () => {
    const kind = kindsWith([watch]).get('watch') ?? expect.fail('no such kind');
    expect([kind.scopes, kind.subject]).to.deep.equal([watch.scopes, watch.subject]);
    expect(kind.rules?.({} as OtherPredicate)).to.deep.equal([[false, 'never']]);
  });

  it('require the head of every receipt and the time, in each alternative', () => {
    for (const fact of [watch, either]) {
      const { statement } = kindsWith([fact]).get(fact.kind) ?? expect.fail('no such kind');
      const { predicate } = statement['properties'] as { predicate: { anyOf?: object[] } };
      for (const one of predicate.anyOf ?? [predicate]) {
        expect(one)
          .to.have.property('required')
          .that.deep.equals(['receipt_id', 'log', 'issuer', 'non_claims', 'at', 'facts']);
        expect(findMisfit(one as never, { facts: {} })).to.equal('/receipt_id');
      }
    }
  });

  it('that several plugins declare are listed once', () => {
    const owners = [
      { name: 'a', facts: [watch, either] },
      { name: 'b', facts: [watch] },
    ];
    expect(declaredKinds(owners)).to.deep.equal([watch, either]);
  });
});

describe('the name of the subject', () => {
  const named = (members: object, facts: object) =>
    subjectName(kindsWith([watch]).get('watch') ?? expect.fail('no such kind'), {
      facts,
      ...members,
    } as unknown as OtherPredicate);

  it('is the first member that is there, of the predicate before its facts', () => {
    expect(named({ watch_id: 'a', orb_id: 'b' }, { watch_id: 'c' })).to.equal('a');
    expect(named({ orb_id: 'b' }, { watch_id: 'c' })).to.equal('c');
    expect(named({ orb_id: 'b' }, {})).to.equal('b');
  });

  it('is empty when there is none, or it is no text', () => {
    expect([named({}, {}), named({ watch_id: 7 }, {})]).to.deep.equal(['', '']);
  });
});

describe('the class of a resolution', () => {
  for (const [outcome, superseded, found] of [
    ['sent', 'orb_fault', 'ok'],
    ['not_sent', 'orb_fault', 'orb_fault'],
    ['sent', 'caller_fault', 'caller_fault'],
    ['not_sent', 'caller_fault', 'caller_fault'],
    ['sent', 'platform_fault', 'ok'],
  ] as const)
    it(`is ${found} when a run counted as ${superseded} was ${outcome}`, () => {
      expect(resolvedClass(outcome, superseded)).to.equal(found);
    });
});
