import { expect } from 'chai';
import { compileLater } from '../../../../kernel/index.ts';
import { checkRoutes } from '../../../../plugins/policy/routes/check.ts';
import { decisionRoutes } from '../../../../plugins/policy/routes/decisions.ts';
import { policyRoutes } from '../../../../plugins/policy/routes/policies.ts';
import { createWorld } from './world.ts';

const { scope } = createWorld();
const routes = [...policyRoutes(scope), ...decisionRoutes(scope), ...checkRoutes(scope)];
const text = (length: number): string => 'x'.repeat(length);
const posted = (count: number, path = 'a.rego', source = '') => ({
  files: Array.from({ length: count }, () => ({ path, source })),
});

/** The part of a request, what it may be at most (or at least), and what is one above (or below). */
type Row = readonly [operationId: string, part: 'query' | 'body' | 'params', what: string, fits: object, wrong: object];

const rows: readonly Row[] = [
  ['listPolicies', 'query', 'rows of a page', { limit: 100 }, { limit: 101 }],
  ['listPolicies', 'query', 'one row', { limit: 1 }, { limit: 0 }],
  ['listPolicies', 'query', 'the first page', { offset: 0 }, { offset: -1 }],
  ['getPolicy', 'params', 'letters of an id', { id: text(100) }, { id: text(101) }],
  ['getPolicy', 'params', 'the first letter of an id', { id: '_a' }, { id: '-a' }],
  ['putPolicyDraft', 'body', 'letters of a source', { source: text(262_144) }, { source: text(262_145) }],
  ['putPolicyDraft', 'body', 'one letter of a source', { source: 'x' }, { source: '' }],
  [
    'putPolicyDraft',
    'body',
    'letters of tests',
    { source: 'x', tests: text(262_144) },
    { source: 'x', tests: text(262_145) },
  ],
  [
    'putPolicyDraft',
    'body',
    'letters of a message',
    { source: 'x', message: text(500) },
    { source: 'x', message: text(501) },
  ],
  ['setPolicyMode', 'body', 'a mode', { mode: 'shadow' }, { mode: 'off' }],
  ['listPolicyDecisions', 'query', 'letters of an Orb id', { orb_id: text(200) }, { orb_id: text(201) }],
  ['listPolicyDecisions', 'query', 'letters of a principal', { principal: text(200) }, { principal: text(201) }],
  ['listPolicyDecisions', 'query', 'a time', { from: '2026-11-20T10:00:00Z' }, { from: 'yesterday' }],
  [
    'listPolicyDecisions',
    'query',
    'decimals of a time',
    { to: `2026-11-20T10:00:00.${'0'.repeat(19)}Z` },
    { to: `2026-11-20T10:00:00.${'0'.repeat(20)}Z` },
  ],
  ['getPolicyDecision', 'params', 'letters of an id', { decision_id: text(64) }, { decision_id: text(65) }],
  ['validatePolicies', 'body', 'files', posted(200), posted(201)],
  ['validatePolicies', 'body', 'one file', posted(1), posted(0)],
  ['validatePolicies', 'body', 'letters of a path', posted(1, text(201)), posted(1, text(202))],
  ['validatePolicies', 'body', 'letters of a source', posted(1, 'a', text(262_144)), posted(1, 'a', text(262_145))],
  ['testPolicies', 'body', 'what is tested', { against: 'drafts' }, { against: 'all' }],
];

describe('what the routes of policies take', () => {
  for (const [operationId, part, what, fits, wrong] of rows)
    it(`${operationId}: ${what}`, () => {
      const schema = routes.find((route) => route.operationId === operationId)?.[part];
      if (schema === undefined) throw new Error(`${operationId} has no ${part}`);
      const faults = compileLater(schema);
      expect(faults(fits)).to.deep.equal([]);
      expect(faults(wrong)).to.have.length(1);
    });
});
