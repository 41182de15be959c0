import { expect } from 'chai';
import {
  etagOf,
  ignoresAsks,
  isData,
  isTest,
  policyIdOf,
  revisionDigest,
  testsPathOf,
  type Revision,
} from '../../../../plugins/policy/revisions/revision.ts';

describe('a revision of the folder', () => {
  const [a, b] = [
    { path: 'a.rego', source: 'package a' },
    { path: 'b.rego', source: 'package b' },
  ];

  it('is named by its paths and contents, in any order', () => {
    expect(revisionDigest([a, b])).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(revisionDigest([a, b])).to.equal(revisionDigest([b, a]));
    const others = [[a], [a, { ...b, source: 'package c' }], [a, { ...b, path: 'c.rego' }]];
    for (const files of others) expect(revisionDigest(files)).not.to.equal(revisionDigest([a, b]));
  });

  it('ignores its asks when its files have some and its compiled form has none', () => {
    const asking = { path: 'a.rego', source: 'package orb.policies.a\n\nask contains {}\n' };
    const ignores = (file: object, rules: readonly string[] = ['deny']): boolean =>
      ignoresAsks({ files: [{ ...asking, ...file }], policies: [{ rules }] as unknown as Revision['policies'] });
    expect(ignores({})).to.equal(true);
    expect(ignores({}, ['ask'])).to.equal(false);
    expect(ignores({ path: 'a_test.rego' })).to.equal(false);
    expect(ignores({ source: 'package lib\n\nask contains {}\n' })).to.equal(false);
    expect(ignores({ source: 'package orb.policies.a\n\n# ask contains\ndeny contains "ask contains"\n' })).to.equal(
      false,
    );
  });

  it('tags a draft by its source and its tests', () => {
    expect(etagOf({ source: 'a' })).to.equal(etagOf({ source: 'a', tests: '' }));
    const tags = [{ source: 'a' }, { source: 'b' }, { source: 'a', tests: 'b' }, { source: 'ab' }].map(etagOf);
    expect(new Set(tags)).to.have.property('size', 4);
    for (const tag of tags) expect(tag).to.match(/^"[0-9a-f]{64}"$/);
  });

  it('names policies and their tests by the path', () => {
    expect(['a.rego', 'a/b_c.rego', 'a/b/c.rego'].map(policyIdOf)).to.deep.equal(['a', 'a.b_c', 'a.b.c']);
    expect(testsPathOf('a/b.rego')).to.equal('a/b_test.rego');
    expect(['a_test.rego', 'a.rego', 'test.rego', 'a_test.rego.bak'].map(isTest)).to.deep.equal([
      ...[true, false, false, false],
    ]);
  });

  it('takes for data what lies at the top or in the folder data', () => {
    for (const path of ['data.json', 'data/a.json', 'data/a.b.json']) expect(isData(path), path).to.equal(true);
    for (const path of ['a.json', 'data/a/b.json', 'x/data.json', 'data/.json.txt', 'data/', 'mydata/a.json'])
      expect(isData(path), path).to.equal(false);
  });
});
