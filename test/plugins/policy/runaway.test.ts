import { expect } from 'chai';
import { createPool } from '../../../plugins/policy/evaluator/pool.ts';
import { activeOf } from '../../../plugins/policy/decider.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';
import { createWorkbench, deciderOn, load, outcome, question, type Workbench } from './workbench.ts';

// Ends at once on the samples, and hardly ever on what it waits for.
const bombs = {
  'a cartesian product': `package orb.policies.bomb

deny contains "found" if {
	input.context.inputs.text == "bomb"
	n := numbers.range(1, 2000)
	some a in n
	some b in n
	some c in n
	((a * b) * c) == -1
}
`,
  'a replacement without an end': `package orb.policies.bomb

deny contains "found" if {
	input.context.inputs.text == "bomb"
	replace(input.context.inputs.text, "", "x") == "never"
}
`,
};

describe('a policy that does not end', () => {
  let bench: Workbench;
  let home: PolicyHome;
  before(async function () {
    bench = createWorkbench(compilerOrSkip(this));
    home = await startPolicyHome({ 'bomb.rego': bombs['a cartesian product'] });
  });
  after(async () => {
    await home?.platform.stop();
    await bench?.stop();
  });

  it('is ended: 503 policy_unavailable with the reason policy_timeout; others are served meanwhile', async () => {
    const [one, other] = await Promise.all([
      home.platform.key({ name: 'one', scopes: ['orbs:execute'] }),
      home.platform.key({ name: 'other', scopes: ['orbs:execute'] }),
    ]);
    const bombed = Promise.all([home.echo(one, { text: 'bomb' }), home.echo(one, { text: 'bomb' })]);
    for (let round = 0; round < 10; round += 1)
      expect((await home.echo(other, { text: `fine ${round}` })).status).to.equal(200);
    for (const { status, body } of await bombed) {
      expect([status, body.code]).to.deep.equal([503, 'policy_unavailable']);
      expect(body.reasons).to.deep.equal([{ code: 'policy_timeout' }]);
      expect(body.retryable).to.equal(true);
    }
    expect((await home.echo(one, { text: 'fine' })).status).to.equal(200);
  });

  it('is answered at once after three timeouts, for its principal alone', async () => {
    const key = await home.platform.key({ name: 'three', scopes: ['orbs:execute'] });
    for (let round = 0; round < 3; round += 1) {
      const { body } = await home.echo(key, { text: 'bomb' });
      expect(body.reasons, JSON.stringify(body)).to.deep.equal([{ code: 'policy_timeout' }]);
    }
    const before = (await home.until('status', () => true)).timeouts as number;
    const { body } = await home.echo(key, { text: 'now it is fine' });
    expect(body.reasons?.[0].code, JSON.stringify(body)).to.equal('policy_timeout');
    expect((await home.until('status', () => true)).timeouts).to.equal(before + 1);
    expect((await home.echo(undefined, { text: 'fine for others' })).status).to.equal(200);
  });

  it('is ended in the middle of a builtin too, and the pool takes the next question', async () => {
    const pool = createPool({ threads: 1, deadlineMs: 50, queue: { all: 100, each: 100 } });
    const revision = await bench.revision({
      'base.rego': 'package orb.policies.base\n\nallow if input.action.name\n',
      'bomb.rego': bombs['a replacement without an end'],
    });
    const decider = deciderOn(pool);
    await load(pool, revision);
    decider.use(activeOf(revision.digest, revision));
    const ask = (text: string) =>
      outcome(decider.decide(question('execute', ({ context }) => (context['inputs'] = { text }))));
    expect(await ask('bomb')).to.equal('policy_timeout');
    expect(await ask('fine')).to.equal('allow');
    await pool.stop();
  });

  it('a full queue refuses: policy_overloaded', async () => {
    const pool = createPool({ threads: 1, deadlineMs: 200, queue: { all: 4, each: 2 } });
    const revision = await bench.revision({ 'base.rego': 'package orb.policies.base\n\nallow if input.action.name\n' });
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
