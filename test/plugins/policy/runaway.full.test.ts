import { expect } from 'chai';
import { createPool } from '../../../plugins/policy/evaluator/pool.ts';
import type { PoolAnswer } from '../../../plugins/policy/evaluator/question.ts';
import { activeOf } from '../../../plugins/policy/decide/decider.ts';
import { compilerOrSkip } from './compiler.ts';
import type { Answer } from '../../helpers/platform.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';
import { allowing, createWorkbench, deciderOn, load, outcome, question, type Workbench } from './workbench.ts';

const bomb = (body: string): string => `package orb.policies.bomb

deny contains "found" if {
	input.context.inputs.text == "bomb"
	${body}
}
`;
const product = (condition: string): string =>
  bomb(`n := numbers.range(1, 2000)\n\tsome a in n\n\tsome b in n\n\tsome c in n\n\t${condition}`);

// End at once on the samples, and hardly ever on what they wait for.
const bombs = {
  // Comparing takes no memory: how soon that were full is the machine's affair.
  'a cartesian product': product('a < b\n\tb < c\n\tc < a'),
  'a product that fills its memory': product('((a * b) * c) == -1'),
  'a replacement without an end': bomb('replace(input.context.inputs.text, "", "x") == "never"'),
};

describe('a policy that does not end', () => {
  let bench: Workbench;
  let home: PolicyHome;
  before(async function () {
    bench = createWorkbench(compilerOrSkip(this));
    home = await startPolicyHome({ 'bomb.rego': bombs['a cartesian product'] });
    // A folder that ran out of time on a busy machine is tried again.
    await home.until('in force', ({ policies, rejected }) => policies === 4 && rejected === null);
  });
  after(async () => {
    await home?.platform.stop();
    await bench?.stop();
  });

  // A machine that is too busy to evaluate at all says so: asked again.
  const echo = async (key: string | undefined, text: string): Promise<Answer> => {
    for (;;) {
      const answer = await home.echo(key, { text });
      if (answer.body.reasons?.[0].code !== 'policy_overloaded') return answer;
    }
  };

  it('is ended: 503 policy_unavailable with the reason policy_timeout; others are served meanwhile', async () => {
    const [one, other] = await Promise.all([
      home.platform.key({ name: 'one', scopes: ['orbs:execute'] }),
      home.platform.key({ name: 'other', scopes: ['orbs:execute'] }),
    ]);
    const bombed = Promise.all([echo(one, 'bomb'), echo(one, 'bomb')]);
    for (let round = 0; round < 10; round += 1) expect((await echo(other, `fine ${round}`)).status).to.equal(200);
    for (const { status, body } of await bombed) {
      expect([status, body.code]).to.deep.equal([503, 'policy_unavailable']);
      expect(body.reasons).to.deep.equal([{ code: 'policy_timeout' }]);
      expect(body.retryable).to.equal(true);
    }
    expect((await echo(one, 'fine')).status).to.equal(200);
  });

  it('is answered at once after three timeouts, for its principal alone', async () => {
    const key = await home.platform.key({ name: 'three', scopes: ['orbs:execute'] });
    for (let round = 0; round < 3; round += 1) {
      const { body } = await echo(key, 'bomb');
      expect(body.reasons, JSON.stringify(body)).to.deep.equal([{ code: 'policy_timeout' }]);
    }
    const before = (await home.until('status', () => true)).timeouts as number;
    const { body } = await echo(key, 'now it is fine');
    expect(body.reasons?.[0].code, JSON.stringify(body)).to.equal('policy_timeout');
    expect((await home.until('status', () => true)).timeouts).to.equal(before + 1);
    expect((await echo(undefined, 'fine for others')).status).to.equal(200);
  });

  it('is ended in the middle of a builtin too, and the pool takes the next question', async () => {
    const pool = createPool({ threads: 1, deadlineMs: 50, queue: { all: 100, each: 100 } });
    const revision = await bench.revision({
      'base.rego': allowing,
      'bomb.rego': bombs['a replacement without an end'],
    });
    const decider = deciderOn(pool);
    await load(pool, revision);
    decider.use(activeOf(revision.digest, revision));
    const ask = async (text: string): Promise<string> => {
      const found = await outcome(decider.decide(question('execute', ({ context }) => (context['inputs'] = { text }))));
      return found === 'policy_overloaded' ? ask(text) : found;
    };
    expect(await ask('bomb')).to.equal('policy_timeout');
    expect(await ask('fine')).to.equal('allow');
    await pool.stop();
  });

  it('is ended on trial after the time of a run, also when it has an end later', async () => {
    const options = { threads: 1, queue: { all: 100, each: 100 } };
    const pool = createPool({ ...options, deadlineMs: 20, warmUpMs: 30_000 });
    const long = bomb('n := numbers.range(1, 1500)\n\tcount([1 | some a in n; some b in n; a + b < 0]) > 0');
    const revision = await bench.revision({ 'base.rego': allowing, 'bomb.rego': long });
    await load(pool, revision);
    const ask = (text: string): Promise<PoolAnswer> => {
      const input = JSON.stringify(question('execute', ({ context }) => (context['inputs'] = { text })));
      const asked = { revision: revision.digest, entrypoint: 'orb/system/execute', time_ns: '1767225600000000000' };
      return pool.evaluate({ ...asked, input, principal: 'one' });
    };
    expect(await ask('bomb')).to.deep.equal({ fault: 'policy_timeout', detail: 'the policy took longer than 20 ms' });
    expect(await ask('fine')).to.have.property('answer');
    await pool.stop();
  });

  it('runs out of time, not of memory, when nobody was there to end it', async () => {
    const pool = createPool({ threads: 1, deadlineMs: 5, queue: { all: 100, each: 100 } });
    const revision = await bench.revision({ 'bomb.rego': bombs['a product that fills its memory'] });
    await load(pool, revision);
    const input = JSON.stringify(question('execute', ({ context }) => (context['inputs'] = { text: 'bomb' })));
    const asked = { revision: revision.digest, entrypoint: 'orb/system/execute', time_ns: '1767225600000000000' };
    const evaluated = async (): Promise<PoolAnswer> => {
      const answer = await pool.evaluate({ ...asked, input, principal: 'one' });
      return 'fault' in answer && answer.fault === 'policy_overloaded' ? evaluated() : answer;
    };
    const answer = evaluated();
    // This thread, which holds the deadline, is held up until the policy has filled its memory.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    expect(await answer).to.include({ fault: 'policy_timeout' });
    await pool.stop();
  });

  it('a full queue refuses: policy_overloaded', async () => {
    const pool = createPool({ threads: 1, deadlineMs: 30_000, queue: { all: 4, each: 2 } });
    const revision = await bench.revision({ 'base.rego': allowing });
    const decider = deciderOn(pool);
    await load(pool, revision);
    decider.use(activeOf(revision.digest, revision));
    const asked = (id: string) => outcome(decider.decide(question('execute', ({ subject }) => (subject['id'] = id))));
    const answers = await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'].map(asked));
    // One of `a` is at work, two wait; two of `b` wait; the rest is refused.
    expect(answers.map((answer) => answer === 'allow')).to.deep.equal([
      true,
      true,
      true,
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(answers.filter((answer) => answer === 'policy_overloaded')).to.have.length(3);
    await pool.stop();
  });
});
