import { expect } from 'chai';
import { withMode } from '../../../../plugins/policy/decide/mode.ts';

const source = (...metadata: readonly string[]): string =>
  ['# METADATA', ...metadata.map((line) => `# ${line}`), 'package orb.policies.one', ''].join('\n');

describe('the mode in a METADATA block', () => {
  const changes: readonly (readonly [string, string, string])[] = [
    ['is changed', source('custom:', '  mode: warn'), source('custom:', '  mode: enforce')],
    [
      'is added where there is no other',
      source('custom:', '  owner: me'),
      source('custom:', '  mode: enforce', '  owner: me'),
    ],
    ['is added with its heading', source('title: One'), source('title: One', 'custom:', '  mode: enforce')],
    [
      'is not mistaken for a line of a description',
      source('description: |', '  mode: of travel', 'custom:', '  owner: me', '  mode: shadow', 'title: One'),
      source('description: |', '  mode: of travel', 'custom:', '  owner: me', '  mode: enforce', 'title: One'),
    ],
    [
      'is not mistaken for a line of what follows',
      source('custom:', '  owner: me', 'description: |', '  mode: of travel'),
      source('custom:', '  mode: enforce', '  owner: me', 'description: |', '  mode: of travel'),
    ],
  ];
  for (const [what, before, after] of changes)
    it(what, () => {
      expect(withMode(before, 'enforce')).to.equal(after);
    });
});
