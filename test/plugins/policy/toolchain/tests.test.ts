import { expect } from 'chai';
import { compilerOrSkip } from '../compiler.ts';
import { createWorkbench, question, type Workbench } from '../workbench.ts';

const policy = 'package orb.policies.a\n\nallow if input.action.name\n';

describe('the tests of policies', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  const run = (tests: string, more: Record<string, string> = {}) =>
    bench.build({ 'a.rego': policy, 'a_test.rego': `package a_test\n\n${tests}\n`, ...more });
  const passedOf = async (tests: string, more: Record<string, string> = {}) =>
    Object.fromEntries((await run(tests, more)).tests.map(({ name, passed }) => [name, passed]));

  it('are decided by the evaluator of runs where the interpreter calculates otherwise', async () => {
    const built = await run(
      [
        'test_minus if 3.14159 - 3 == 0.14159',
        'test_times if 1.1 * 3 == 3.3',
        'test_product if product([1.1, 3]) == 3.3',
        'test_sprintf if sprintf("%d", [3.0]) == "3"',
        'test_format if format_int(9007199254740993, 10) == "9007199254740993"',
        'test_same if 1 + 1 == 2',
      ].join('\n\n'),
    );
    expect(built.tests.filter(({ passed }) => passed).map(({ name }) => name)).to.include('test_same');
    const { tests, diagnostics, revision } = built;
    for (const { name, passed } of tests) {
      const decided = await asRun(bench, { name, passed });
      expect(passed, name).to.equal(decided);
    }
    expect(tests.filter(({ passed }) => !passed)).not.to.have.length(0);
    expect(revision).to.equal(undefined);
    expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)).to.include(
      'test_failed',
    );
  });

  it('fail where a run could not be decided, and say why', async () => {
    const { tests } = await run(
      'test_version if not semver.compare("x", "2.0.0") < 0\n\ntest_conflict if level == 1\n\nlevel := 1 if 1 == 1\n\nlevel := 2 if 2 == 2',
    );
    expect(tests.map(({ name, passed, message = '' }) => [name, passed, message.split(':')[0]])).to.deep.equal([
      ['test_version', false, 'policy_builtin_error'],
      ['test_conflict', false, 'policy_error'],
    ]);
  });

  it('know mocks of the input, of data, of functions and of the time, prints, and the data of the folder', async () => {
    const { tests, diagnostics } = await run(
      [
        'import data.orb.policies.a',
        'test_input if a.allow with input as {"action": {"name": "execute"}}',
        'test_none if not a.allow with input as {}',
        'test_data if { print("list", data.list); data.list == [1] }',
        'test_data_mock if data.list == [2] with data.list as [2]',
        'test_function if later with time.now_ns as 5',
        'later if time.now_ns() == 5',
        'double(x) := x * 2',
        'test_rule_function if double(2) == 7 with double as 7',
        'test_now if time.now_ns() > 1700000000000000000',
        'todo_test_later if false',
      ].join('\n\n'),
      { 'data.json': '{"list": [1]}' },
    );
    expect(diagnostics).to.deep.equal([]);
    expect(tests.map(({ name, passed, skipped = false }) => [name, passed, skipped])).to.deep.equal([
      ['test_input', true, false],
      ['test_none', true, false],
      ['test_data', true, false],
      ['test_data_mock', true, false],
      ['test_function', true, false],
      ['test_rule_function', true, false],
      ['test_now', true, false],
      ['todo_test_later', false, true],
    ]);
    expect(tests[2]?.output).to.equal('list [1]\n');
  });

  it('get a mock of the input as a run gets its input: from JSON, with the numbers of a double', async () => {
    const { tests } = await run(
      [
        'v := input.context.inputs.v',
        'test_float if json.marshal(v) == "1" with input as {"context": {"inputs": {"v": 1.0}}}',
        'test_exponent if $"{v}" == "100" with input.context.inputs.v as 1e2',
        'test_large if v == 9007199254740992 with input.context.inputs.v as 9007199254740993',
        'mock := {"context": {"inputs": {"v": -0}}}',
        'test_by_name if json.marshal(v) == "0" with input as mock',
        'test_list if is_array(v) with input.context.inputs.v as {1, 2}',
        'test_every if { every one in [1.0, 2.0] { json.marshal(v) != "1.0" with input.context.inputs.v as one } }',
        'test_missing if not v with input as {}',
        'test_literal if json.marshal(1.0) == "1.0"',
      ].join('\n\n'),
    );
    expect(tests.map(({ name, passed }) => [name, passed])).to.deep.equal(tests.map(({ name }) => [name, true]));
    expect(tests).to.have.length(8);
  });

  it('are decided where the interpreter would have no end or no memory', async () => {
    const { tests } = await run(
      [
        'test_range if count(numbers.range(1, 1000000000)) > 1',
        'test_step if count(numbers.range_step(0, 1000000000, 1)) > 1',
        'test_shift if bits.lsh(1, 1000000000) > 1',
        'test_short if numbers.range(3, 1) == [3, 2, 1]',
      ].join('\n\n'),
    );
    expect(tests.map(({ name, passed, message = '' }) => [name, passed, message.split(':')[0]])).to.deep.equal([
      ['test_range', false, 'policy_error'],
      ['test_step', false, 'policy_builtin_error'],
      ['test_shift', false, 'policy_error'],
      ['test_short', true, ''],
    ]);
  });

  it('are two when two have one name, also in two files of one package', async () => {
    const { tests } = await run('test_twice if 1 == 1\n\ntest_twice if 1 == 2', {
      'b_test.rego': 'package a_test\n\ntest_twice if 1 == 3\n',
    });
    expect(tests.map(({ file, line, passed }) => [file, line, passed])).to.deep.equal([
      ['a_test.rego', 3, true],
      ['a_test.rego', 5, false],
      ['b_test.rego', 3, false],
    ]);
  });

  it('with a row per case pass when all cases do, and name those that fail', async () => {
    const rows = (...pairs: string[]) => `[${pairs.map((pair) => `{"note": ${pair}}`).join(', ')}]`;
    const sum = (name: string, cases: string) =>
      `${name}[row.note] if {\n\tsome row in ${cases}\n\trow.a * 3 == row.b\n}`;
    const good = rows('"one", "a": 1, "b": 3', '"two", "a": 2, "b": 6');
    const wrong = rows('"one", "a": 1, "b": 3', '"tenth", "a": 1.1, "b": 3.4');
    const { tests } = await run(
      `${sum('test_good', good)}\n\n${sum('test_wrong', wrong)}\n\ntest_none[x] if {\n\tsome x in ["a"]\n\tx == "b"\n}`,
    );
    expect(tests.map(({ name, passed, message = '' }) => [name, passed, message])).to.deep.equal([
      ['test_good', true, ''],
      ['test_wrong', false, 'failed: tenth'],
      ['test_none', false, 'failed: a'],
    ]);
  });

  it('that are a set, a value or a function fail', async () => {
    expect(
      await passedOf(
        'test_set contains 1 if 1 == 1\n\ntest_value := 3\n\ntest_call(x) if x == 1\n\ntest_false := false',
      ),
    ).to.deep.equal({ test_set: false, test_value: false, test_call: false, test_false: false });
  });

  it('that use up the time of an evaluation stop the candidate as one that is out of time', async () => {
    const { tests, diagnostics } = await run('test_long if replace("aaa", "", "b") == "x"');
    expect(tests[0]?.passed).to.equal(false);
    expect(diagnostics[0]?.code).to.equal('policy_timeout');
  });
});

// Decides the expression of a test as a run would: in an allow.
const expressions: Readonly<Record<string, string>> = {
  test_minus: '3.14159 - 3 == 0.14159',
  test_times: '1.1 * 3 == 3.3',
  test_product: 'product([1.1, 3]) == 3.3',
  test_sprintf: 'sprintf("%d", [3.0]) == "3"',
  test_format: 'format_int(9007199254740993, 10) == "9007199254740993"',
  test_same: '1 + 1 == 2',
};

async function asRun(
  bench: Workbench,
  { name }: { readonly name: string; readonly passed: boolean },
): Promise<boolean> {
  const source = `# METADATA\n# custom:\n#   fallible: accepted\npackage orb.policies.x\n\nallow if {\n\tinput.context.inputs.run\n\t${expressions[name] ?? ''}\n}\n`;
  const { revision } = await bench.build({ 'x.rego': source });
  if (revision === undefined) return false;
  const { verdict } = await (
    await bench.decider(revision)
  ).decide(question('execute', ({ context }) => (context['inputs'] = { run: true })));
  return verdict.allow;
}
