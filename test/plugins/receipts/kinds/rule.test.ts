import { expect } from 'chai';
import type { FactRule } from '../../../../plugins/receipts/format/fact-kind.ts';
import { applyRules } from '../../../../plugins/receipts/kinds/rule.ts';

const high = { type: 'object', properties: { level: { const: 'high' } } } as const;
const why = { type: 'object', required: ['why'] } as const;
const must: FactRule = { fault: 'x', must: why };
const mustWhenHigh: FactRule = { fault: 'x', when: high, must: why };
const unique: FactRule = { fault: 'x', unique: 'list.*.id' };
const equals: FactRule = { fault: 'x', compare: ['list.*.id', 'equals', 'name'] };
const differs: FactRule = { fault: 'x', compare: ['by', 'differs', 'facts.for'] };
const notAfter: FactRule = { fault: 'x', compare: ['from', 'not_after', 'facts.to'] };
const beginsWith: FactRule = { fault: 'x', compare: ['from', 'begins_with', 'facts.to'] };
const list = (...ids: unknown[]) => ids.map((id) => ({ id }));

describe('a declared rule', () => {
  for (const [what, rule, predicate, agrees] of [
    ['without a condition concerns every predicate', must, {}, false],
    ['is kept by what fits', must, { why: 'x' }, true],
    ['with a condition concerns what fits the condition', mustWhenHigh, { level: 'high' }, false],
    ['with a condition is kept by what fits both', mustWhenHigh, { level: 'high', why: 'x' }, true],
    ['with a condition does not concern the rest', mustWhenHigh, { level: 'low' }, true],
    ['of unique texts is broken by a second one', unique, { list: list('a', 'b', 'a') }, false],
    ['of unique texts is kept by different ones', unique, { list: list('a', 'b') }, true],
    ['of unique texts counts texts alone', unique, { list: list(1, 1, null, null) }, true],
    ['of unique texts is kept where there is no list', unique, { list: { id: 'a' } }, true],
    ['of equal texts is kept when all are', equals, { name: 'a', list: list('a', 'a') }, true],
    ['of equal texts is broken by one that is not', equals, { name: 'a', list: list('a', 'b') }, false],
    ['is kept when the text to compare with is absent', equals, { list: list('a', 'b') }, true],
    ['is kept when nothing is to be compared', equals, { name: 'a' }, true],
    ['of different texts is kept by another one', differs, { by: 'a', facts: { for: 'b' } }, true],
    ['of different texts is broken by the same one', differs, { by: 'a', facts: { for: 'a' } }, false],
    ['of order is kept by an earlier text', notAfter, { from: '2026-01', facts: { to: '2026-02' } }, true],
    ['of order is kept by the same text', notAfter, { from: '2026-02', facts: { to: '2026-02' } }, true],
    ['of order is broken by a later text', notAfter, { from: '2026-03', facts: { to: '2026-02' } }, false],
    ['of a beginning is kept by a longer text', beginsWith, { from: 'a/b', facts: { to: 'a/' } }, true],
    ['of a beginning is broken by another text', beginsWith, { from: 'b/a/', facts: { to: 'a/' } }, false],
    ['does not look into texts', { fault: 'x', compare: ['from.length', 'equals', 'to'] }, { from: '', to: 'a' }, true],
    ['does not look into null', { fault: 'x', compare: ['from.x', 'equals', 'to'] }, { from: null, to: 'a' }, true],
    ['sees own members alone', { fault: 'x', compare: ['to', 'equals', 'constructor.name'] }, { to: 'a' }, true],
    [
      'sees all items of a list by * alone',
      { fault: 'x', compare: ['l.0', 'equals', 'to'] },
      { l: ['b'], to: 'a' },
      true,
    ],
  ] as readonly (readonly [string, FactRule, object, boolean])[])
    it(what, () => {
      expect(applyRules([rule], predicate)).to.deep.equal([[agrees, 'x']]);
    });
});
