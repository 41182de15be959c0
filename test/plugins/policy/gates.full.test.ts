import { expect } from 'chai';
import { policyProject } from '../../../plugins/kit/scaffold/projects.ts';
import { gate } from '../../../plugins/policy/folder/gate.ts';
import { compilerOrSkip } from './compiler.ts';
import { itRefuses, policy, type Refusal } from './refusals.ts';
import { allowing, createWorkbench, type Workbench } from './workbench.ts';

const refused: readonly Refusal[] = [
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
  { name: 'a package of ours', files: { 'a.rego': 'package orb.system\n\nallow := true\n' }, code: 'reserved_package' },
  {
    name: 'a package below a policy',
    files: { 'a.rego': 'package orb.policies.a.b\n\nallow := true\n' },
    code: 'reserved_package',
  },
  { name: 'an allow that is a set', files: policy('allow contains 1'), code: 'wrong_rule' },
  { name: 'a deny that is true', files: policy('deny if 1 == 1'), code: 'wrong_rule' },
  { name: 'a deny below the deny', files: policy('deny.x contains "y"'), code: 'wrong_rule' },
  {
    name: 'a typo in the input',
    files: policy('allow if input.subject.rol == "x"'),
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
    files: policy('allow if http.send({"url": "http://x"}).status_code == 200'),
    code: 'rego_type_error',
  },
  { name: 'randomness', files: policy('allow if rand.intn("x", 2) == 1'), code: 'rego_type_error' },
  { name: 'the environment', files: policy('allow if opa.runtime().env.X'), code: 'rego_type_error' },
  { name: 'an unused import', files: policy('import data.lib\n\nallow if 1 == 1'), code: 'rego_compile_error' },
  {
    name: 'an unknown mode',
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
  {
    name: 'a reference by a variable into a package with functions, for which the library makes Wasm that does not compile',
    files: {
      ...policy('allow if {\n\tsome name\n\tdata.lib[name] == "x"\n}'),
      'lib.rego': 'package lib\n\nmine := "x"\n\nsame(x) := x\n',
    },
    code: 'wasm_invalid',
  },
  { name: 'an empty file', files: { 'a.rego': '' }, code: 'rego_parse_error' },
  {
    name: 'deep nesting',
    files: { 'a.rego': `package a\n\nx := ${'['.repeat(20_000)}${']'.repeat(20_000)}\n` },
    code: 'too_nested',
  },
  { name: 'a file of 5 MB', files: { 'a.rego': `package a\n${'# x\n'.repeat(1_250_000)}` }, code: 'file_too_large' },
  { name: 'a wrong name', files: { 'validate.rego': allowing }, code: 'wrong_name' },
  { name: 'two files of one id', files: { 'a/b.rego': allowing, 'a.b.rego': 'package x\n' }, code: 'id_defined_twice' },
];

const endless: readonly Refusal[] = [
  {
    name: 'a rule that never ends',
    files: policy(
      'allow if {\n\tn := numbers.range(1, 3000)\n\tsome a in n\n\tsome b in n\n\tsome c in n\n\t((a * b) * c) == -1\n}',
    ),
    code: 'check_timeout',
  },
];

describe('the gates of the policies folder', () => {
  let bench: Workbench;
  let hasty: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
    hasty = createWorkbench(compilerOrSkip(this), 2000);
  });
  after(() => Promise.all([bench?.stop(), hasty?.stop()]));

  itRefuses(() => bench, refused);
  itRefuses(() => hasty, endless);

  it('refuse bytes that are no UTF-8, and more files than allowed', () => {
    expect(gate([{ path: 'a.rego', bytes: new Uint8Array([0xff, 0xfe]) }]).diagnostics[0]?.code).to.equal('not_utf8');
    const many = Array.from({ length: 201 }, (_, index) => ({ path: `p${index}.rego`, bytes: new Uint8Array() }));
    expect(gate(many).diagnostics[0]?.code).to.equal('too_many_files');
  });

  it('tell the faults of several files at once', async () => {
    const { diagnostics } = await bench.build({ 'a.rego': 'package a\n\nx :=\n', 'b.rego': 'package b\n\ny := )\n' });
    expect([...new Set(diagnostics.map(({ file }) => file))]).to.deep.equal(['a.rego', 'b.rego']);
  });

  for (const name of ['quiet', 'package', 'count', 'swap', 'asked'])
    it(`let pass what orb new policy ${name} makes`, async () => {
      const made = Object.entries(policyProject(name).files).map(([path, text]) => [
        path.replace('policies/', ''),
        text,
      ]);
      const { revision, diagnostics } = await bench.build(Object.fromEntries(made) as Record<string, string>);
      expect(revision, JSON.stringify(diagnostics)).not.to.equal(undefined);
    });

  it('the compiler lives on after each of them', async () => {
    expect((await bench.build({ 'base.rego': allowing })).revision).not.to.equal(undefined);
  });
});
