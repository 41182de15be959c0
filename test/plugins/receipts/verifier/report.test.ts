import { expect } from 'chai';
import {
  conclude,
  logChecks,
  requiredOfAll,
  type Check,
  type CheckName,
} from '../../../../plugins/receipts/verifier/report.ts';

describe('the exit code of a report', () => {
  const failing: Readonly<Record<number, CheckName>> = {
    2: 'statement_schema',
    4: 'key_trusted',
    1: 'envelope',
    5: 'consistency_with_last_seen',
  };
  const exitOf = (...codes: readonly number[]): number =>
    conclude(
      codes.flatMap((code) => (failing[code] === undefined ? [] : [{ name: failing[code], result: 'fail' as const }])),
      undefined,
      { required: codes.includes(3) ? ['inclusion'] : [] },
    ).exit;

  it('is the first of 2, 4, 1, 5, 3 of what was found', () => {
    const order = [2, 4, 1, 5, 3];
    for (const [at, first] of order.entries()) {
      expect(exitOf(first)).to.equal(first);
      for (const later of order.slice(at + 1)) expect(exitOf(later, first), `${first} and ${later}`).to.equal(first);
    }
    expect(exitOf()).to.equal(0);
  });
});

describe('the word of a report', () => {
  const all = requiredOfAll.map((name): Check => ({ name, result: 'pass' }));
  const but = (result: Check['result'], ...names: readonly CheckName[]) =>
    all.map((check): Check => (names.includes(check.name) ? { name: check.name, result } : check));
  const unlogged = { unlogged: true };
  const ofLog =
    'unlogged: the artefact contains no inclusion proof, so it was not checked whether the receipt is in the log';
  const stale: Check = { name: 'freshness', result: 'not_checked', detail: 'no witness' };
  const limited = 'VERIFIED-WITH-LIMITS';

  for (const [what, checks, terms, word, exit, limits] of [
    ['all that is required', all, {}, 'VERIFIED', 0, []],
    ['a required check that was not made', but('not_checked', 'inclusion'), {}, 'REJECTED', 3, []],
    ['a required check that is not there', all.slice(1), {}, 'REJECTED', 3, []],
    ['a required check that failed', but('fail', 'envelope'), {}, 'REJECTED', 1, []],
    ['no proof of the log', but('not_checked', ...logChecks), unlogged, limited, 0, [ofLog]],
    ['no proof of the log, and no signature', but('not_checked', 'envelope', 'inclusion'), unlogged, 'REJECTED', 3, []],
    ['a false proof of the log', but('fail', 'inclusion'), unlogged, 'REJECTED', 1, []],
    ['another check that was not made', [...all, stale], {}, limited, 0, ['freshness: not checked: no witness']],
    [
      'two limits',
      [...but('not_checked', 'inclusion'), stale],
      unlogged,
      limited,
      0,
      [ofLog, 'freshness: not checked: no witness'],
    ],
    ['a demanded check that was not made', [...all, stale], { required: ['freshness'] }, 'REJECTED', 3, []],
  ] as readonly (readonly [string, Check[], Parameters<typeof conclude>[2], string, number, string[]])[])
    it(`is ${word} with ${what}`, () => {
      const report = conclude(checks, undefined, terms);
      expect([report.overall, report.exit, report.limits]).to.deep.equal([word, exit, limits]);
      expect(report).to.not.have.property('values');
    });

  it('says of a limit without a reason that it could not be checked', () => {
    const { limits } = conclude([...all, { name: 'freshness', result: 'not_checked' }], undefined);
    expect(limits).to.deep.equal(['freshness: not checked: it could not be checked']);
  });
});
