import { expect } from 'chai';
import { withMode } from '../../../../plugins/policy/decide/mode.ts';

const source = (...metadata: readonly string[]): string =>
  ['# METADATA', ...metadata.map((line) => `# ${line}`), 'package orb.policies.one', ''].join('\n');

describe('the mode in a METADATA block', () => {
  const changes: (readonly [string, string, string])[] = [
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
  changes.push(
    [
      'is added with a block where there is none',
      'package a\n',
      '# METADATA\n# custom:\n#   mode: enforce\npackage a\n',
    ],
    [
      'is added with a block of its own where only other comments stand above',
      '# METADATA\n# custom:\n#   mode: warn\n\n# A comment.\npackage a\n',
      '# METADATA\n# custom:\n#   mode: warn\n\n# A comment.\n# METADATA\n# custom:\n#   mode: enforce\npackage a\n',
    ],
    [
      'is added below other comments',
      '# A comment.\npackage a\n',
      '# A comment.\n# METADATA\n# custom:\n#   mode: enforce\npackage a\n',
    ],
    ['is added to a heading without members', source('custom:'), source('custom:', '  mode: enforce')],
    [
      'is added to a heading that is followed by another',
      source('custom:', 'title: One'),
      source('custom:', '  mode: enforce', 'title: One'),
    ],
    [
      'keeps the indent of the other members',
      source('custom:', '    owner: me'),
      source('custom:', '    mode: enforce', '    owner: me'),
    ],
    ['is not written into a file without a package', '# METADATA\n# custom:\n', '# METADATA\n# custom:\n'],
  );
  for (const [what, before, after] of changes)
    it(what, () => {
      expect(withMode(before, 'enforce')).to.equal(after);
    });
});
