import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import { budgetsOf, config, type Settings, type WrittenBudgets } from '../../../plugins/budgets/settings.ts';
import { rowsOf, windowOf, type Subjects } from '../../../plugins/budgets/windows.ts';

const at = Date.parse('2026-02-28T23:59:59.999Z');
const subjects: Subjects = {
  ...{ tenant: ['acme'], principal: ['prn_1'], key: ['key_1'], orbiset: ['default'] },
  ...{ provider: ['one', 'two'], model: ['fast'] },
};

function budgets(list: NonNullable<WrittenBudgets['budgets']>) {
  const faults: string[] = [];
  return { budgets: budgetsOf({ budgets: list }, faults), faults };
}

const times = ({ starts_at: from, ends_at: to }: ReturnType<typeof windowOf>): readonly string[] =>
  [from, to].map((time) => new Date(time).toISOString().slice(0, 16));

describe('the windows of budgets', () => {
  it('follow the calendar of UTC', () => {
    expect(times(windowOf('minute', at))).to.deep.equal(['2026-02-28T23:59', '2026-03-01T00:00']);
    expect(times(windowOf('day', at))).to.deep.equal(['2026-02-28T00:00', '2026-03-01T00:00']);
    expect(times(windowOf('month', at))).to.deep.equal(['2026-02-01T00:00', '2026-03-01T00:00']);
    expect(times(windowOf('month', Date.parse('2026-12-31T12:00:00Z')))).to.deep.equal([
      ...['2026-12-01T00:00', '2027-01-01T00:00'],
    ]);
  });

  it('are one for each subject of the scope, sorted by id', () => {
    const { budgets: all } = budgets([
      { scope: 'provider', per: 'day', nanos: 5 },
      { scope: 'key', per: 'minute', tokens: 9 },
    ]);
    const rows = rowsOf(all, subjects, at);
    expect(rows.map(({ scope, subject, most }) => `${scope} ${subject} ${most}`)).to.deep.equal([
      ...['key key_1 9', 'provider one 5', 'provider two 5'],
    ]);
    expect(rows.map(({ id }) => id)).to.deep.equal([...rows.map(({ id }) => id)].sort());
  });

  it('take the budget of one subject in place of the one for each', () => {
    const { budgets: all } = budgets([
      { scope: 'key', per: 'day', tokens: 9 },
      { scope: 'key', of: 'key_1', per: 'day', tokens: 500 },
      { scope: 'key', of: 'key_2', per: 'day', tokens: 1 },
      { scope: 'key', per: 'month', tokens: 10 },
    ]);
    const most = rowsOf(all, subjects, at).map(({ per, most: limit }) => `${per} ${limit}`);
    expect(most.sort()).to.deep.equal(['day 500', 'month 10']);
  });
});

describe('the settings of budgets', () => {
  const fault = (list: readonly object[]): string => {
    const settings = { budgets: list } as Settings;
    const faults = compile(config)(settings).map(({ pointer, detail }) => `${pointer} ${detail}`);
    if (faults.length === 0) budgetsOf(settings, faults);
    return faults.join('\n');
  };
  const refused: readonly (readonly [title: string, list: readonly object[], fault: string])[] = [
    ['an unknown scope', [{ scope: 'team', per: 'day', tokens: 1 }], '#/budgets/0/scope'],
    ['an unknown window', [{ scope: 'key', per: 'week', tokens: 1 }], '#/budgets/0/per'],
    ['no limit', [{ scope: 'key', per: 'day' }], 'plugins.budgets/budgets/0: give either tokens or nanos'],
    ['two limits', [{ scope: 'key', per: 'day', tokens: 1, nanos: 1 }], 'give either tokens or nanos'],
    ['a limit of zero', [{ scope: 'key', per: 'day', tokens: 0 }], '#/budgets/0/tokens'],
    ['an unknown member', [{ scope: 'key', per: 'day', dollars: 1 }], '#/budgets/0'],
    [
      'two budgets alike',
      [
        { scope: 'key', per: 'day', tokens: 1 },
        { scope: 'key', per: 'day', tokens: 2 },
      ],
      'plugins.budgets/budgets/1: there is a budget of tokens per day',
    ],
  ];
  for (const [title, list, wanted] of refused) it(`refuse ${title}`, () => expect(fault(list)).to.include(wanted));

  it('take tokens and nano-dollars of one scope', () => {
    const list = [
      { scope: 'key', per: 'day', tokens: 1 },
      { scope: 'key', per: 'day', nanos: 1 },
      { scope: 'key', of: 'key_1', per: 'day', nanos: 1 },
    ];
    expect(fault(list)).to.equal('');
  });
});
