import { expect } from 'chai';
import { gate } from '../../../plugins/policy/folder/gate.ts';
import { compilerOrSkip } from './compiler.ts';
import { createWorkbench, outcome, question, type Workbench } from './workbench.ts';

const allowing = 'package orb.policies.base\n\nallow if input.action.name\n';

describe('the gates of the policies folder', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  const refused: {
    name: string;
    files: Record<string, string>;
    code: string;
    at?: [string, number, number];
    hint?: RegExp;
  }[] = [
    {
      name: 'a fallible builtin below a deny, with a way to write it',
      files: {
        'a.rego':
          'package orb.policies.a\n\ndeny contains "too much" if to_number(input.context.inputs.amount) > 100\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 3, 29],
      hint: /is_number/,
    },
    {
      name: 'a fallible builtin in a helper of a library that a deny reaches',
      files: {
        'a.rego': 'package orb.policies.a\n\ndeny contains "x" if data.lib.bad(input.context.inputs.re)\n',
        'lib.rego': 'package lib\n\nbad(re) if regex.match(re, "abc")\n',
      },
      code: 'fallible_builtin',
      at: ['lib.rego', 3, 12],
    },
    {
      name: 'a fallible builtin below a not of an allow',
      files: {
        'a.rego': 'package orb.policies.a\n\nallow if not wrong\n\nwrong if to_number(input.context.inputs.n) > 3\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 5, 10],
    },
    {
      name: 'a fallible builtin below an obligation',
      files: {
        'a.rego':
          'package orb.policies.a\n\nobligations contains {"type": "mask"} if to_number(input.context.inputs.n) > 3\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 3, 42],
    },
    {
      name: 'a fallible builtin below a default that an allow compares',
      files: {
        'a.rego':
          'package orb.policies.a\n\ndefault risky := false\n\nrisky if to_number(input.context.inputs.n) > 3\n\nallow if risky == false\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 5, 10],
    },
    {
      name: 'a fallible builtin before an else that an allow takes',
      files: {
        'a.rego':
          'package orb.policies.a\n\nlevel := "high" if {\n\tto_number(input.context.inputs.n) > 3\n} else := "low"\n\nallow if level == "low"\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 4, 2],
    },
    {
      name: 'a fallible builtin in a set whose size an allow takes',
      files: {
        'a.rego':
          'package orb.policies.a\n\nbad contains 1 if to_number(input.context.inputs.n) > 3\n\nallow if count(bad) == 0\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 3, 19],
    },
    {
      name: 'a fallible builtin in an object whose members an allow looks for',
      files: {
        'a.rego':
          'package orb.policies.a\n\nlevels["high"] := 1 if to_number(input.context.inputs.n) > 3\n\nallow if object.get(levels, "high", 0) == 0\n',
      },
      code: 'fallible_builtin',
      at: ['a.rego', 3, 24],
    },
    {
      name: 'a data file that plants an allow',
      files: { 'base.rego': allowing, 'data.json': '{"orb": {"policies": {"x": {"allow": true}}}}' },
      code: 'reserved_data',
    },
    {
      name: 'a data file that plants a rule of a library',
      files: { 'lib.rego': 'package lib\n\nok := false\n', 'data.json': '{"lib": {"ok": true}}' },
      code: 'reserved_data',
    },
    {
      name: 'two files in one package, naming both',
      files: {
        'a.rego': 'package orb.execute\n\nallow if true == true\n',
        'b.rego': 'package orb.execute\n\ndeny contains "x"\n',
      },
      code: 'package_defined_twice',
      at: ['b.rego', 1, 1],
    },
    {
      name: 'a package of ours',
      files: { 'a.rego': 'package orb.system\n\nallow := true\n' },
      code: 'reserved_package',
    },
    {
      name: 'a package below a policy',
      files: { 'a.rego': 'package orb.policies.a.b\n\nallow := true\n' },
      code: 'reserved_package',
    },
    {
      name: 'an allow that is a set',
      files: { 'a.rego': 'package orb.policies.a\n\nallow contains 1\n' },
      code: 'wrong_rule',
    },
    {
      name: 'a deny that is true',
      files: { 'a.rego': 'package orb.policies.a\n\ndeny if 1 == 1\n' },
      code: 'wrong_rule',
    },
    {
      name: 'a deny below the deny',
      files: { 'a.rego': 'package orb.policies.a\n\ndeny.x contains "y"\n' },
      code: 'wrong_rule',
    },
    {
      name: 'a typo in the input',
      files: { 'a.rego': 'package orb.policies.a\n\nallow if input.subject.rol == "x"\n' },
      code: 'rego_type_error',
      at: ['a.rego', 3, 10],
    },
    {
      name: "another action's part of the input",
      files: { 'a.rego': 'package orb.execute\n\nallow if input.context.swap.to == "x"\n' },
      code: 'rego_type_error',
      at: ['a.rego', 3, 10],
    },
    {
      name: 'a builtin that decisions do not have',
      files: { 'a.rego': 'package orb.policies.a\n\nallow if http.send({"url": "http://x"}).status_code == 200\n' },
      code: 'rego_type_error',
    },
    {
      name: 'randomness',
      files: { 'a.rego': 'package orb.policies.a\n\nallow if rand.intn("x", 2) == 1\n' },
      code: 'rego_type_error',
    },
    {
      name: 'the environment',
      files: { 'a.rego': 'package orb.policies.a\n\nallow if opa.runtime().env.X\n' },
      code: 'rego_type_error',
    },
    {
      name: 'an unused import',
      files: { 'a.rego': 'package orb.policies.a\n\nimport data.lib\n\nallow if 1 == 1\n' },
      code: 'rego_compile_error',
    },
    {
      name: 'a mode nobody knows',
      files: { 'a.rego': '# METADATA\n# custom:\n#   mode: maybe\npackage orb.policies.a\n\nallow if 1 == 1\n' },
      code: 'wrong_mode',
    },
    {
      name: 'a test that fails',
      files: {
        'a.rego': 'package orb.policies.a\n\nallow if 1 == 1\n',
        'a_test.rego': 'package a_test\n\ntest_no if data.orb.policies.a.deny\n',
      },
      code: 'test_failed',
    },
    { name: 'an empty file', files: { 'a.rego': '' }, code: 'rego_parse_error' },
    {
      name: 'deep nesting',
      files: { 'a.rego': `package a\n\nx := ${'['.repeat(20_000)}${']'.repeat(20_000)}\n` },
      code: 'too_nested',
    },
    { name: 'a file of 5 MB', files: { 'a.rego': `package a\n${'# x\n'.repeat(1_250_000)}` }, code: 'file_too_large' },
    { name: 'a wrong name', files: { 'validate.rego': allowing }, code: 'wrong_name' },
    {
      name: 'two files of one id',
      files: { 'a/b.rego': allowing, 'a.b.rego': 'package x\n' },
      code: 'id_defined_twice',
    },
    {
      name: 'a rule that never ends',
      files: {
        'a.rego':
          'package orb.policies.a\n\nallow if {\n\tn := numbers.range(1, 3000)\n\tsome a in n\n\tsome b in n\n\tsome c in n\n\t((a * b) * c) == -1\n}\n',
      },
      code: 'check_timeout',
    },
  ];
  for (const { name, files, code, at, hint } of refused) {
    it(`refuse ${name}: ${code}`, async function () {
      this.timeout(120_000);
      const { revision, diagnostics } = await bench.build(files);
      expect(revision).to.equal(undefined);
      const found = diagnostics.find((one) => one.code === code);
      expect(found, JSON.stringify(diagnostics)).not.to.equal(undefined);
      if (at !== undefined) expect([found?.file, found?.line, found?.column]).to.deep.equal(at);
      if (hint !== undefined) expect(found?.hint).to.match(hint);
    });
  }

  it('refuse bytes that are no UTF-8, and more files than allowed', () => {
    expect(gate([{ path: 'a.rego', bytes: new Uint8Array([0xff, 0xfe]) }]).diagnostics[0]?.code).to.equal('not_utf8');
    const many = Array.from({ length: 201 }, (_, index) => ({ path: `p${index}.rego`, bytes: new Uint8Array() }));
    expect(gate(many).diagnostics[0]?.code).to.equal('too_many_files');
  });

  it('tell the faults of several files at once', async () => {
    const { diagnostics } = await bench.build({ 'a.rego': 'package a\n\nx :=\n', 'b.rego': 'package b\n\ny := )\n' });
    expect([...new Set(diagnostics.map(({ file }) => file))]).to.deep.equal(['a.rego', 'b.rego']);
  });

  it('take a fallible builtin that the file accepts by name, and one with constant operands', async () => {
    const accepted =
      '# METADATA\n# custom:\n#   fallible: accepted\npackage orb.policies.a\n\ndeny contains "x" if to_number(input.context.inputs.n) > 3\n';
    expect((await bench.build({ 'a.rego': accepted })).diagnostics).to.deep.equal([]);
    const constant = 'package orb.policies.a\n\ndeny contains "x" if regex.match("^a+$", input.resource.id)\n';
    expect((await bench.build({ 'a.rego': constant })).diagnostics).to.deep.equal([]);
    // Undefined only takes away from this allow, its default included.
    const plain =
      'package orb.policies.a\n\ndefault allow := false\n\nallow if small\n\ndefault small := false\n\nsmall if to_number(input.context.inputs.n) < 3\n';
    expect((await bench.build({ 'a.rego': plain })).diagnostics).to.deep.equal([]);
  });

  it('the compiler lives on after each of them', async () => {
    expect((await bench.build({ 'base.rego': allowing })).revision).not.to.equal(undefined);
  });

  describe('what passes', () => {
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
});
