import { expect } from 'chai';
import type { AccessRequest } from '../../../../kernel/access.ts';
import { activeOf, type Decider } from '../../../../plugins/policy/decide/decider.ts';
import type { Pool } from '../../../../plugins/policy/evaluator/pool.ts';
import type { PoolAnswer, Question } from '../../../../plugins/policy/evaluator/question.ts';
import { readShipped } from '../../../../plugins/policy/shipped.ts';
import { deciderOn, outcome, question } from '../workbench.ts';

const shipped = readShipped();

/** A pool that answers as it is told. */
function poolOf(answer: (asked: Question) => PoolAnswer): Pool & { readonly asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    load: () => undefined,
    warm: () => undefined,
    unload: () => undefined,
    evaluate: async (one) => (asked.push(one), answer(one)),
    queued: () => 0,
    stop: async () => undefined,
  };
}

const good = {
  allow: true,
  policies: ['a'],
  denies: [],
  warns: [],
  obligations: [],
  shadow: { would_deny: [], would_allow: [] },
};

function answering(answer: unknown, policies = shipped.policies): Decider {
  const decider = deciderOn(poolOf(() => ({ answer })));
  decider.use(activeOf(shipped.digest, { ...shipped, policies }));
  return decider;
}

describe('what cannot be decided is denied', () => {
  it('allows what a policy allows and nobody denies', async () => {
    expect(await outcome(answering([{ result: good }]).decide(question('execute')))).to.equal('allow');
  });

  it('without a revision: policy_unavailable', async () => {
    expect(await outcome(deciderOn(poolOf(() => ({ answer: [] }))).decide(question('execute')))).to.equal(
      'policy_unavailable',
    );
  });

  it('with an empty folder: no_policy', async () => {
    expect(await outcome(answering([{ result: good }], []).decide(question('execute')))).to.equal('no_policy');
  });

  it('keeps nothing of a question whose evaluation has ended', async () => {
    const active = activeOf(shipped.digest, shipped);
    const decider = deciderOn(
      poolOf(() => ({ answer: [{ result: good }] })),
      { caching: true },
    );
    decider.use(active);
    const asked = [decider.decide(question('execute')), decider.decide(question('execute'))];
    expect(active.pending.size).to.equal(1);
    for (const one of asked) await one;
    expect(active.pending.size).to.equal(0);
  });

  it('lets the next question be the trial when the one before it was not evaluated', async () => {
    let now = 0;
    let fault: 'policy_timeout' | 'policy_overloaded' = 'policy_timeout';
    const pool = poolOf(() => ({ fault, detail: 'x' }));
    const decider = deciderOn(pool, { clock: { now: () => now, monotonic: () => now } });
    decider.use(activeOf(shipped.digest, shipped));
    for (let time = 0; time < 4; time++) await decider.decide(question('execute'));
    expect(pool.asked).to.have.length(3);
    now += 30_000;
    fault = 'policy_overloaded';
    await decider.decide(question('execute'));
    // Still on trial: one timeout opens it again.
    fault = 'policy_timeout';
    for (let time = 0; time < 2; time++) await decider.decide(question('execute'));
    expect(pool.asked).to.have.length(5);
  });

  const moments: readonly (readonly [string, string, string])[] = [
    ['that stands at its beginning', '0', 'policy_integrity'],
    ['of 2001, in fewer digits', '999999999999999999', 'policy_integrity'],
    ['just before 2020', '1577836799999999999', 'policy_integrity'],
    ['of 2020', '1577836800000000000', 'allow'],
    ['of 2286, in more digits', '10000000000000000000', 'allow'],
  ];
  for (const [name, time_ns, expected] of moments)
    it(`by a clock ${name}: ${expected}`, async () => {
      const asked = question('execute', ({ context }) => (context['time_ns'] = time_ns));
      expect(await outcome(answering([{ result: good }]).decide(asked))).to.equal(expected);
    });

  const wrong: [string, unknown][] = [
    ['nothing', undefined],
    ['undefined', []],
    ['two results', [{ result: good }, { result: good }]],
    ['no object', [{ result: true }]],
    ['an allow that is text', [{ result: { ...good, allow: 'true' } }]],
    ['an allow that is 1', [{ result: { ...good, allow: 1 } }]],
    ['an allow beside a denial', [{ result: { ...good, denies: [{ policy: 'a', message: 'no' }] } }]],
    ['an allow of no policy', [{ result: { ...good, policies: [] } }]],
    ['a missing member', [{ result: { ...good, shadow: undefined } }]],
    ['denials that are no list', [{ result: { ...good, denies: {} } }]],
    ['a denial without a policy', [{ result: { ...good, allow: false, denies: [{ message: 'no' }] } }]],
  ];
  for (const [name, answer] of wrong) {
    it(`an answer with ${name}: policy_result_invalid`, async () => {
      expect(await outcome(answering(answer).decide(question('execute')))).to.equal('policy_result_invalid');
    });
  }

  it('an allow with an obligation that nobody fulfils: unknown_obligation', async () => {
    const result = { ...good, obligations: [{ type: 'mask' }] };
    expect(await outcome(answering([{ result }]).decide(question('execute')))).to.equal('unknown_obligation');
  });

  it('no allow and no denial: not_allowed; a denial: policy_denied with policy and message', async () => {
    const none = { ...good, allow: false, policies: [] };
    expect(await outcome(answering([{ result: none }]).decide(question('execute')))).to.equal('not_allowed');
    const denied = { ...none, denies: [{ policy: 'a', message: 'no' }] };
    const { verdict } = await answering([{ result: denied }]).decide(question('execute'));
    expect(verdict).to.deep.include({
      allow: false,
      policies: ['a'],
      reasons: [{ code: 'policy_denied', policy: 'a', message: 'no' }],
    });
  });

  for (const fault of ['policy_builtin_error', 'policy_error', 'policy_timeout', 'policy_overloaded'] as const) {
    it(`the evaluator's ${fault} is the reason, and is not kept`, async () => {
      let failing = true;
      const pool = poolOf(() => (failing ? { fault, detail: 'x' } : { answer: [{ result: good }] }));
      const decider = deciderOn(pool, { caching: true });
      decider.use(activeOf(shipped.digest, shipped));
      expect(await outcome(decider.decide(question('execute')))).to.equal(fault);
      failing = false;
      expect(await outcome(decider.decide(question('execute')))).to.equal('allow');
      expect(await outcome(decider.decide(question('execute')))).to.equal('allow');
      expect(pool.asked).to.have.length(2);
    });
  }

  const misfits: [string, (request: AccessRequest) => AccessRequest, string][] = [
    ['an unknown action', (asked) => ({ ...asked, action: { name: 'erase' } }), 'policy_input_invalid'],
    [
      'an action by the name of a member of every object',
      (asked) => ({ ...asked, action: { name: 'constructor' } }),
      'policy_input_invalid',
    ],
    [
      'a missing member',
      (asked) => ({ ...asked, context: { ...asked.context, orbiset: undefined } }),
      'policy_input_invalid',
    ],
    [
      'an unknown member',
      (asked) => ({ ...asked, context: { ...asked.context, admin: true } }),
      'policy_input_invalid',
    ],
    ['a wrong type', (asked) => ({ ...asked, resource: { ...asked.resource, score: 'high' } }), 'policy_input_invalid'],
    [
      'a clock that is not set',
      (asked) => ({ ...asked, context: { ...asked.context, time_ns: '7' } }),
      'policy_integrity',
    ],
  ];
  for (const [name, misfit, code] of misfits) {
    it(`${name}: ${code}`, async () => {
      expect(await outcome(answering([{ result: good }]).decide(misfit(question('execute'))))).to.equal(code);
    });
  }

  for (const member of ['subject', 'resource'] as const)
    it(`looks again at a ${member} that its asker goes on changing`, async () => {
      const pool = poolOf(() => ({ answer: [{ result: good }] }));
      const decider = deciderOn(pool, { caching: true });
      const execute = { all: false, paths: [[member, 'id']] };
      decider.use(activeOf(shipped.digest, { ...shipped, entrypoints: { ...shipped.entrypoints, execute } }));
      const asked = question('execute');
      const change = (id: unknown): unknown => Object.assign(asked[member], { id });
      for (const again of [false, true]) expect((await decider.decide(asked)).cached).to.equal(again);
      change(member === 'subject' ? 'prn_other' : 'demo.other@1.0.0');
      expect(await outcome(decider.decide(asked)), 'not from the cache').to.equal('allow');
      expect(pool.asked).to.have.length(2);
      change(7);
      expect(await outcome(decider.decide(asked))).to.equal('policy_input_invalid');
    });

  it('a revision that an earlier version compiled without its asks: policy_integrity', async () => {
    const decider = deciderOn(poolOf(() => ({ answer: [{ result: good }] })));
    decider.use(activeOf(shipped.digest, shipped, true));
    expect(await outcome(decider.decide(question('execute')))).to.equal('policy_integrity');
  });

  it('three timeouts of one principal in 60 s: policy_timeout at once for 30 s, then one trial', async () => {
    let now = 1_000_000;
    const clock = { now: () => 1_800_000_000_000, monotonic: () => now };
    const pool = poolOf(() => ({ fault: 'policy_timeout', detail: 'x' }));
    const decider = deciderOn(pool, { clock });
    decider.use(activeOf(shipped.digest, shipped));
    const ask = (): Promise<string> => outcome(decider.decide(question('execute')));
    for (let round = 0; round < 5; round += 1) expect(await ask()).to.equal('policy_timeout');
    expect(pool.asked).to.have.length(3);
    now += 30_001;
    await Promise.all([ask(), ask()]);
    expect(pool.asked).to.have.length(4);
    const other = question('execute', ({ subject }) => (subject['id'] = 'prn_other'));
    await decider.decide(other);
    expect(pool.asked).to.have.length(5);
  });

  for (const [fault, said] of [
    ['policy_builtin_error', 'policy_builtin_error'],
    ['policy_overloaded', 'policy_overloaded'],
    ['policy_error', 'policy_error'],
  ] as const) {
    it(`a trial that ends with ${fault} does not shut its principal out for good`, async () => {
      let now = 1_000_000;
      let answer: PoolAnswer = { fault: 'policy_timeout', detail: 'x' };
      const clock = { now: () => 1_800_000_000_000, monotonic: () => now };
      const decider = deciderOn(
        poolOf(() => answer),
        { clock },
      );
      decider.use(activeOf(shipped.digest, shipped));
      const ask = (): Promise<string> => outcome(decider.decide(question('execute')));
      for (let round = 0; round < 3; round += 1) await ask();
      now += 30_001;
      answer = { fault, detail: 'x' };
      expect(await ask()).to.equal(said);
      answer = { answer: [{ result: good }] };
      expect(await ask()).to.equal('allow');
    });
  }

  it('what already waits is not evaluated once three have run out of time', async () => {
    const waiting: (() => void)[] = [];
    const pool = poolOf(() => ({ answer: [] }));
    let evaluated = 0;
    const held: Pool = {
      ...pool,
      evaluate: (one) =>
        new Promise((resolve) => {
          waiting.push(() => {
            const refused = one.refused?.();
            if (refused === undefined) evaluated += 1;
            resolve(refused ?? { fault: 'policy_timeout', detail: 'x' });
          });
        }),
    };
    const decider = deciderOn(held);
    decider.use(activeOf(shipped.digest, shipped));
    const answers = Array.from({ length: 20 }, () => outcome(decider.decide(question('execute'))));
    for (const [index, turn] of waiting.entries()) {
      turn();
      expect(await answers[index]).to.equal('policy_timeout');
    }
    expect([waiting.length, evaluated]).to.deep.equal([20, 3]);
  });

  it('equal questions at once are evaluated once; when that fails, each is evaluated for itself', async () => {
    const waiting: ((answer: PoolAnswer) => void)[] = [];
    const pool: Pool = { ...poolOf(() => ({ answer: [] })), evaluate: () => new Promise((done) => waiting.push(done)) };
    const decider = deciderOn(pool, { caching: true });
    decider.use(activeOf(shipped.digest, shipped));
    const ask = (id: string) =>
      outcome(decider.decide(question('execute', ({ subject }) => (subject['key_id'] = `key_${id}`))));
    const first = ['a', 'b', 'c'].map(ask);
    expect(waiting).to.have.length(1);
    waiting.shift()?.({ fault: 'policy_error', detail: 'x' });
    expect(await first[0]).to.equal('policy_error');
    expect(waiting).to.have.length(2);
    const later = ask('d');
    for (const done of waiting) done({ answer: [{ result: good }] });
    expect(await Promise.all([first[1], first[2], later])).to.deep.equal(['allow', 'allow', 'allow']);
    expect(waiting).to.have.length(2);
    expect(await ask('e')).to.equal('allow');
    expect(waiting).to.have.length(2);
  });

  it('warnings and shadow denials are counted and change nothing', async () => {
    const result = {
      ...good,
      warns: [{ policy: 'a', message: 'w' }],
      shadow: { would_deny: [{ policy: 'b', message: 's' }], would_allow: [] },
    };
    const { verdict } = await answering([{ result }]).decide(question('execute'));
    expect(verdict).to.deep.include({ allow: true, warns: 1, shadow_denies: 1 });
  });
});
