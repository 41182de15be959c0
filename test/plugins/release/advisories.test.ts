import { expect } from 'chai';
import { examineNode, type AdvisoryList } from '../../../plugins/release/node/advisories.ts';
import list from '../../../plugins/release/node/advisories.json' with { type: 'json' };

const known: AdvisoryList = {
  date: '2026-08-22',
  source: 'nodejs.example/vulnerability',
  supported: { 22: '2027-04-30', 24: '2028-04-30' },
  advisories: [
    { advisory: 'july', fixed: { 22: '22.23.2', 24: '24.18.1' }, ids: { 'CVE-1': 'high', 'CVE-2': 'low' } },
    { advisory: 'june', fixed: { 24: '24.17.0' }, ids: { 'CVE-3': 'medium' } },
  ],
};
const day = (date: string): number => Date.parse(date);

describe('the advisories of Node', () => {
  const details = (version: string, at = '2026-09-01'): readonly string[] =>
    examineNode(version, day(at), known).map(({ detail, state }) => `${state}: ${detail}`);
  const link = 'nodejs.example/vulnerability';

  const cases: Readonly<Record<string, readonly string[]>> = {
    '24.18.1': ['ok: Node 24.18.1 has no advisory in the list of 2026-08-22'],
    '24.18.0': [`warning: Node 24.18.0 has 2 known advisories, 1 of them high (list of 2026-08-22): ${link}/july`],
    '24.9.0': [
      `warning: Node 24.9.0 has 3 known advisories, 1 of them high (list of 2026-08-22): ${link}/july, ${link}/june`,
    ],
    '22.23.1': [`warning: Node 22.23.1 has 2 known advisories, 1 of them high (list of 2026-08-22): ${link}/july`],
    '23.11.0': ['warning: Node 23.11.0 is of a release line without security fixes'],
    '27.0.0': ['ok: Node 27.0.0 has no advisory in the list of 2026-08-22'],
  };
  for (const [version, expected] of Object.entries(cases))
    it(`says of ${version}: ${expected[0]?.slice(0, 7)}`, () => {
      expect(details(version)).to.deep.equal(expected);
    });

  it('warns of a line after its last day', () => {
    const ended = 'warning: Node 22.23.2 is of a release line without security fixes since 2027-04-30';
    expect(details('22.23.2', '2027-05-02')).to.deep.equal([ended]);
  });

  it('warns when the list is older than a year, also of a Node without advisories', () => {
    const old = 'warning: the list of advisories of Node is of 2026-08-22';
    expect(details('24.18.1', '2027-08-21')).to.have.length(1).and.not.include(old);
    expect(details('24.18.1', '2027-08-24')).to.deep.equal([old]);
    expect(details('24.18.0', '2027-08-24')).to.have.length(2).and.include(old);
  });

  it('ships as a list of CVE numbers with severities, each of a supported line', () => {
    const ids = list.advisories.flatMap((advisory) => Object.entries(advisory.ids));
    expect(ids.length).to.be.greaterThan(30);
    for (const [id, severity] of ids) {
      expect(id).to.match(/^CVE-20\d\d-\d{5}$/);
      expect(severity).to.be.oneOf(['low', 'medium', 'high']);
    }
    expect(new Set(ids.map(([id]) => id)).size).to.equal(ids.length);
    for (const { fixed } of list.advisories)
      for (const [major, version] of Object.entries(fixed)) {
        expect(Object.keys(list.supported)).to.include(major);
        expect(version).to.match(new RegExp(`^${major}\\.\\d+\\.\\d+$`));
      }
  });

  it('has none for the Node that the executables hold', () => {
    expect(examineNode('24.21.0', day(list.date)).map(({ state }) => state)).to.deep.equal(['ok']);
  });
});
