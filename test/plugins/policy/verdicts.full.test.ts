import { expect } from 'chai';
import { compilerOrSkip } from './compiler.ts';
import { allowing, createWorkbench, outcome, question, type Workbench } from './workbench.ts';

describe('what passes the gates', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  const modes = (mode: string): Record<string, string> => ({
    'base.rego': allowing,
    'b.rego': `# METADATA\n# custom:\n#   mode: ${mode}\npackage orb.policies.b\n\ndeny contains "no"\n\nallow if 1 == 1\n`,
  });
  const verdict = async (files: Record<string, string>) =>
    (await (await bench.decider(await bench.revision(files))).decide(question('execute'))).verdict;

  it('counts by its mode: enforce denies, warn warns, shadow is only recorded', async () => {
    expect(await verdict(modes('enforce'))).to.deep.include({
      allow: false,
      reasons: [{ code: 'policy_denied', policy: 'b', message: 'no' }],
    });
    expect(await verdict(modes('warn'))).to.deep.include({
      allow: true,
      policies: ['base'],
      warns: 1,
      shadow_denies: 0,
    });
    expect(await verdict(modes('shadow'))).to.deep.include({
      allow: true,
      policies: ['base'],
      warns: 0,
      shadow_denies: 1,
    });
  });

  it('an allow of a policy that does not enforce allows nothing', async () => {
    for (const mode of ['warn', 'shadow']) {
      const alone = { 'b.rego': modes(mode)['b.rego'] ?? '' };
      expect((await verdict(alone)).reasons?.[0]?.code).to.equal('not_allowed');
    }
  });

  it('a bad argument of a builtin of ours denies: policy_builtin_error', async () => {
    const files = {
      'base.rego': allowing,
      'v.rego':
        'package orb.policies.v\n\ndeny contains "old" if semver.compare(input.context.inputs.v, "2.0.0") < 0\n',
    };
    const decider = await bench.decider(await bench.revision(files));
    const asked = (inputs: object) =>
      outcome(decider.decide(question('execute', ({ context }) => (context['inputs'] = inputs))));
    expect(await asked({ v: '1.0.0' })).to.equal('policy_denied');
    expect(await asked({ v: '2.0.0' })).to.equal('allow');
    expect(await asked({ v: 'rubbish' })).to.equal('policy_builtin_error');
    expect(await asked({ v: 7 })).to.equal('policy_builtin_error');
  });

  it('what a builtin says of a bad argument never quotes it', async () => {
    const rules: [string, string][] = [
      ['count(regex.split(input.context.inputs.v, "x")) > 1', 'policy_error'],
      ['sprintf(input.context.inputs.v, [1]) == "x"', 'policy_error'],
      ['units.parse(input.context.inputs.v) > 1', 'policy_builtin_error'],
      ['time.parse_rfc3339_ns(input.context.inputs.v) > 1', 'policy_builtin_error'],
      ['io.jwt.decode(input.context.inputs.v)[0].x', 'policy_builtin_error'],
    ];
    for (const [rule, fault] of rules) {
      const accepted = '# METADATA\n# custom:\n#   fallible: accepted\n';
      const { digest } = await bench
        .revision({ 'v.rego': `${accepted}package orb.policies.v\n\ndeny contains "x" if ${rule}\n` })
        .then(async (revision) => (await bench.decider(revision), revision));
      const asked = question('execute', ({ context }) => (context['inputs'] = { v: '1topsecret(%d%' }));
      const frame = { revision: digest, entrypoint: 'orb/system/execute', time_ns: '1767225600000000000' };
      const answer = await bench.pool.evaluate({ ...frame, input: JSON.stringify(asked), principal: 'one' });
      expect('fault' in answer ? answer.fault : answer, rule).to.equal(fault);
      expect(JSON.stringify(answer)).not.to.contain('topsecret');
    }
  });

  it('rules that contradict each other deny: policy_error', async () => {
    const files = {
      'base.rego': allowing,
      'c.rego':
        'package orb.policies.c\n\nlevel := 1 if input.context.inputs.a\n\nlevel := 2 if input.context.inputs.b\n\ndeny contains "x" if level == 1\n',
    };
    const decider = await bench.decider(await bench.revision(files));
    const both = question('execute', ({ context }) => (context['inputs'] = { a: true, b: true }));
    expect(await outcome(decider.decide(both))).to.equal('policy_error');
    expect(await outcome(decider.decide(question('execute')))).to.equal('allow');
  });

  it('time is that of the question', async () => {
    const files = { 't.rego': 'package orb.policies.t\n\nallow if time.now_ns() == 1900000000000000000\n' };
    const decider = await bench.decider(await bench.revision(files), { caching: true });
    const at = (time_ns: string) =>
      outcome(decider.decide(question('execute', ({ context }) => (context['time_ns'] = time_ns))));
    expect(await at('1800000000000000000')).to.equal('not_allowed');
    expect(await at('1900000000000000000')).to.equal('allow');
    expect(await at('1800000000000000000')).to.equal('not_allowed');
  });
});
