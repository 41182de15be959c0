import { expect } from 'chai';
import { compilerOrSkip } from './compiler.ts';
import { itRefuses, policy, type Refusal } from './refusals.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

// What may be undefined on some input must not take a deny, an obligation or a not with it.
const fallible: readonly Omit<Refusal, 'code'>[] = [
  {
    name: 'a fallible builtin below a deny, with a way to write it',
    files: policy('deny contains "too much" if to_number(input.context.inputs.amount) > 100'),
    at: ['a.rego', 3, 29],
    hint: /is_number/,
  },
  {
    name: 'a fallible builtin in a helper of a library that a deny reaches',
    files: {
      'a.rego': 'package orb.policies.a\n\ndeny contains "x" if data.lib.bad(input.context.inputs.re)\n',
      'lib.rego': 'package lib\n\nbad(re) if regex.match(re, "abc")\n',
    },
    at: ['lib.rego', 3, 12],
  },
  {
    name: 'a fallible builtin below a not of an allow',
    files: policy('allow if not wrong\n\nwrong if to_number(input.context.inputs.n) > 3'),
    at: ['a.rego', 5, 10],
  },
  {
    name: 'a fallible builtin below an obligation',
    files: policy('obligations contains {"type": "mask"} if to_number(input.context.inputs.n) > 3'),
    at: ['a.rego', 3, 42],
  },
  {
    name: 'a fallible builtin below a default that an allow compares',
    files: policy(
      'default risky := false\n\nrisky if to_number(input.context.inputs.n) > 3\n\nallow if risky == false',
    ),
    at: ['a.rego', 5, 10],
  },
  {
    name: 'a fallible builtin before an else that an allow takes',
    files: policy(
      'level := "high" if {\n\tto_number(input.context.inputs.n) > 3\n} else := "low"\n\nallow if level == "low"',
    ),
    at: ['a.rego', 4, 2],
  },
  {
    name: 'a fallible builtin in a set whose size an allow takes',
    files: policy('bad contains 1 if to_number(input.context.inputs.n) > 3\n\nallow if count(bad) == 0'),
    at: ['a.rego', 3, 19],
  },
  {
    name: 'a fallible builtin in an object whose members an allow looks for',
    files: policy(
      'levels["high"] := 1 if to_number(input.context.inputs.n) > 3\n\nallow if object.get(levels, "high", 0) == 0',
    ),
    at: ['a.rego', 3, 24],
  },
];

describe('the gates of the policies folder', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  itRefuses(
    () => bench,
    fallible.map((refusal) => ({ ...refusal, code: 'fallible_builtin' })),
  );

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
});
