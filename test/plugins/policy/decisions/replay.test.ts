import { expect } from 'chai';
import type { DecisionQuery, DecisionRow } from '../../../../plugins/policy/decisions/decision-log.ts';
import type { PoolAnswer } from '../../../../plugins/policy/evaluator/question.ts';
import { replay, type Outcome } from '../../../../plugins/policy/decisions/replay.ts';
import type { Revision } from '../../../../plugins/policy/revisions/revision.ts';
import { question } from '../workbench.ts';

const candidate = { digest: `sha256:${'1'.repeat(64)}`, policies: [{}] } as unknown as Revision;

const result = (allow: boolean, more: object = {}): PoolAnswer => ({
  answer: [
    {
      result: {
        ...{ allow, policies: allow ? ['a'] : [], denies: [], warns: [], obligations: [] },
        shadow: { would_deny: [], would_allow: [] },
        ...more,
      },
    },
  ],
});

interface Past {
  readonly allow: boolean;
  readonly reasons: readonly object[];
  readonly asks: readonly object[];
  readonly change: (input: object) => unknown;
}

/** A row of the log as the plugin writes it: all but the inputs. */
function row(number: number, { allow = true, reasons = [], asks, change = () => undefined }: Partial<Past> = {}) {
  const { context, ...rest } = question('execute');
  const { inputs: _, ...known } = context;
  const input = { ...rest, context: known };
  change(input);
  const about = { decision_id: `dec_${number}`, at: `2026-11-20T10:00:0${number}.000Z`, tenant: 'acme', allow };
  return { ...about, record: JSON.stringify({ reasons, asks, input }) } as DecisionRow;
}

function create(rows: readonly DecisionRow[], answer: (asked: object) => PoolAnswer, perQuestion = 0) {
  const asked: object[] = [];
  const queries: DecisionQuery[] = [];
  let now = 0;
  const options = {
    clock: { now: () => 0, monotonic: () => now },
    groups: new Map([['finance', { members: ['prn_1'], links: false }]]),
    lists: {
      decisions: async (query: DecisionQuery) => {
        queries.push(query);
        const start = rows.findIndex(({ decision_id }) => decision_id === query.after) + 1;
        const items = rows.slice(start, start + query.limit);
        const next = start + query.limit < rows.length ? items.at(-1)?.decision_id : undefined;
        return { items, ...(next === undefined ? {} : { next }) };
      },
    },
    ask: async (given: object) => {
      asked.push(given);
      now += perQuestion;
      return answer(given);
    },
  };
  return { asked, queries, run: (last: number, more = {}) => replay(options, candidate, { last, ...more }) };
}

describe('the replay of one decision', () => {
  const fault = (name: string, more = {}): PoolAnswer => ({ fault: name, detail: 'x', ...more }) as PoolAnswer;
  const past = { allow: false, asks: [{ code: 'big' }] };
  const ask = { code: 'big', message: 'a big one', approvers: 'finance' };
  const asking = result(false, { policies: ['base'], asks: [{ policy: 'base', ask }] });
  const earlier = (input: object): unknown =>
    Reflect.deleteProperty((input as { context: object }).context, 'approvals');
  const undecided = [{ code: 'policy_overloaded' }];
  const cases: readonly (readonly [string, DecisionRow, PoolAnswer, Outcome])[] = [
    ['allowed and allowed', row(1), result(true), 'same'],
    ['allowed and denied', row(1), result(false), 'would_deny'],
    ['denied and allowed', row(1, { allow: false }), result(true), 'would_allow'],
    ['denied and denied', row(1, { allow: false }), result(false), 'same'],
    ['allowed and asked', row(1), asking, 'would_ask'],
    ['denied and asked', row(1, { allow: false }), asking, 'would_ask'],
    ['asked and asked', row(1, past), asking, 'same'],
    ['asked and allowed', row(1, past), result(true), 'would_allow'],
    ['asked and denied', row(1, past), result(false), 'would_deny'],
    ['allowed by a version without approvals', row(1, { change: earlier }), result(true), 'same'],
    ['allowed and no result', row(1), { answer: [] }, 'would_deny'],
    ['allowed and a bad argument', row(1), fault('policy_builtin_error'), 'would_deny'],
    ['allowed and an evaluation that fails', row(1), fault('policy_error'), 'would_deny'],
    ['inputs that are needed', row(1), fault('policy_error', { needs_withheld: true }), 'undecidable'],
    ['a policy that does not end', row(1), fault('policy_timeout'), 'undecidable'],
    ['a queue that is full', row(1), fault('policy_overloaded'), 'undecidable'],
    ['a denial by the engine', row(1, { allow: false, reasons: undecided }), result(true), 'not_replayable'],
    ['a lost text', { ...row(1), record: '{"input":{"context":{}}}' }, result(true), 'not_replayable'],
    ['no envelope', { ...row(1), record: '{}' }, result(true), 'not_replayable'],
    [
      'an envelope of another version',
      row(1, { change: (input) => Object.assign(input, { object: 1 }) }),
      ...([result(true), 'not_replayable'] as const),
    ],
  ];
  for (const [name, one, answer, expected] of cases)
    it(`${name}: ${expected}`, async () => {
      const { decisions } = await create([one], () => answer).run(10);
      expect(decisions[expected]).to.deep.equal(['dec_1']);
    });

  it('withholds the inputs, and asks as of then with the digest of the candidate', async () => {
    const { asked, run } = create([row(1)], () => result(true));
    await run(10);
    expect(asked).to.have.length(1);
    expect(asked[0]).to.deep.include({ withheld: [['context', 'inputs']], time_ns: '1767225600000000000' });
    const { input } = asked[0] as { input: { context: object } };
    expect(input.context).to.include({ revision: candidate.digest }).and.not.to.have.property('inputs');
  });

  it('withholds the parsed inputs of a question that had them', async () => {
    const parsed = row(1, {
      change: (input) => Object.assign((input as { context: object }).context, { parsed: null }),
    });
    const { asked, run } = create([parsed], () => result(true));
    await run(10);
    const withheld = [
      ['context', 'inputs'],
      ['context', 'parsed'],
    ];
    expect(asked[0]).to.deep.include({ withheld });
    expect((asked[0] as { input: { context: object } }).input.context).to.not.have.property('parsed');
  });
});

describe('a replay of many', () => {
  const many = Array.from({ length: 9 }, (_, index) => row(9 - index));

  it('takes the last of those that are wanted', async () => {
    const { queries, run } = create(many, () => result(true));
    const { decisions, ...rest } = await run(4, { tenant: 'acme', action: 'execute' });
    expect(decisions.same).to.deep.equal(['dec_9', 'dec_8', 'dec_7', 'dec_6']);
    const span = { from: '2026-11-20T10:00:06.000Z', to: '2026-11-20T10:00:09.000Z' };
    expect(rest).to.deep.equal({ examined: 4, complete: true, ...span });
    expect(queries).to.deep.equal([{ tenant: 'acme', action: 'execute', after: undefined, limit: 4 }]);
  });

  it('ends when its time is used up, and says so', async () => {
    const { run } = create(many, () => result(true), 4000);
    expect(await run(9)).to.include({ examined: 3, complete: false });
  });

  it('of none is complete', async () => {
    expect(await create([], () => result(true)).run(9)).to.deep.include({ examined: 0, complete: true });
  });
});
