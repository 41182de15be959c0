import { expect } from 'chai';
import { newestFirst } from '../../../plugins/ledger/newest.ts';

describe('the order of versions', () => {
  it('takes a release before any pre-release as newest, else the higher version', () => {
    const sorted = (...given: readonly string[]): readonly string[] =>
      given
        .map((version) => ({ version }))
        .sort(newestFirst)
        .map(({ version }) => version);
    expect(sorted('1.0.0', '2.0.0-rc.1', '1.10.0', '1.9.0', '2.0.0-rc.2')).to.deep.equal([
      '1.10.0',
      '1.9.0',
      '1.0.0',
      '2.0.0-rc.2',
      '2.0.0-rc.1',
    ]);
  });
});
