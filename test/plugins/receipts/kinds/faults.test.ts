import { expect } from 'chai';
import { defineFact } from '../../../../kernel/index.ts';
import { strangeScopes } from '../../../../plugins/receipts/kinds/faults.ts';

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
