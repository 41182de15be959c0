import { expect } from 'chai';
import { compilerOrSkip } from './compiler.ts';
import { itRefuses, policy, type Refusal } from './refusals.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

const executing = 'allow if {\n\tinput.action.name == "execute"\n\t';

// A caller can leave out what these read, and the allow would hold because of it.
const opening: readonly Omit<Refusal, 'code'>[] = [
  {
    name: 'an input below a not of an allow, with a way to write it',
    files: policy('allow if not input.context.inputs.blocked'),
    at: ['a.rego', 3, 14],
    hint: /== false/,
  },
  { name: 'an input that is compared there', files: policy('allow if not input.context.inputs.kind == "bulk"') },
  { name: 'a member that only some envelopes have', files: policy('allow if not input.context.swap.rollback') },
  { name: 'a member that an envelope can lack', files: policy(`${executing}not input.context.client_ip\n}`) },
  { name: 'a label', files: policy(`${executing}not input.context.orbiset.labels.frozen\n}`) },
  {
    name: 'an input of a helper that a not asks for',
    files: policy('allow if not wrong\n\nwrong if input.context.inputs.n > 3'),
    at: ['a.rego', 5, 10],
  },
  {
    name: 'an input behind a local',
    files: policy(`${executing}inputs := input.context.inputs\n\tnot inputs.blocked\n}`),
  },
  {
    name: 'an input that a function of a library reads of its argument',
    files: {
      'a.rego': 'package orb.policies.a\n\nallow if not data.lib.bad(input.context.inputs)\n',
      'lib.rego': 'package lib\n\nbad(inputs) if inputs.blocked\n',
    },
    at: ['lib.rego', 3, 16],
  },
  {
    name: 'an input in a set whose size an allow takes',
    files: policy('allow if count(wrong) == 0\n\nwrong contains "n" if input.context.inputs.n > 3'),
  },
  {
    name: 'an input in a comprehension',
    files: policy('allow if count([1 | input.context.inputs.items[_].bad]) == 0'),
  },
  {
    name: 'an input behind a default that an allow compares',
    files: policy('default risky := false\n\nrisky if input.context.inputs.n > 3\n\nallow if risky == false'),
  },
  {
    name: 'an input before an else that an allow takes',
    files: policy('level := "high" if {\n\tinput.context.inputs.n > 3\n} else := "low"\n\nallow if level == "low"'),
  },
  {
    name: 'an input that takes a default away',
    files: policy('default allow := true\n\nallow := false if input.context.inputs.n'),
  },
  {
    name: 'a member of what a rule takes of the input',
    files: policy(`inputs := input.context.inputs\n\n${executing}not inputs.blocked\n}`),
  },
  {
    name: 'a member of what a rule with a default takes',
    files: policy(`default given := {}\n\ngiven := input.context.inputs\n\n${executing}not given.blocked\n}`),
  },
  {
    name: 'a member of what a rule copies',
    files: policy(
      `flags[name] := value if some name, value in input.context.inputs\n\n${executing}not flags.blocked\n}`,
    ),
  },
  {
    name: 'a member of what a comprehension copies',
    files: policy(
      `flags := {name: value | some name, value in input.context.inputs}\n\n${executing}not flags.blocked\n}`,
    ),
  },
  {
    name: 'a member of what a function answers',
    files: policy(`inputs(asked) := asked.context.inputs\n\n${executing}not inputs(input).blocked\n}`),
  },
  {
    name: 'a member of what a function makes',
    files: policy(`made(inputs) := {"of": inputs}\n\n${executing}not made(input.context.inputs).of.blocked\n}`),
  },
  {
    name: 'a member of what a builtin answers',
    files: policy(`${executing}inputs := object.union(input.context.inputs, {})\n\tnot inputs.blocked\n}`),
  },
  {
    name: 'a member of a value with a default',
    files: policy('allow if not object.get(input, ["context", "inputs"], {}).blocked'),
  },
  {
    name: 'a part of a text',
    files: policy(`${executing}parts := split(input.resource.id, "@")\n\tnot parts[1] == "1.0.0"\n}`),
  },
  {
    name: 'a member behind a pattern',
    files: policy(`${executing}[inputs] := [input.context.inputs]\n\tnot inputs.blocked\n}`),
  },
  {
    name: 'a member behind an object',
    files: policy(`${executing}all := {"of": input.context.inputs}\n\tnot all.of.blocked\n}`),
  },
  {
    name: 'a member of an element',
    files: policy(`${executing}some one in [input.context.inputs]\n\tnot one.blocked\n}`),
  },
  {
    name: 'a member of each value of an object',
    files: policy(`${executing}every one in input.context.inputs {\n\t\tnot one.blocked\n\t}\n}`),
  },
  {
    name: 'a member of what a walk finds',
    files: policy(`${executing}walk(input, [["context", "inputs"], inputs])\n\tnot inputs.blocked\n}`),
  },
  {
    name: 'an input in the place of the input',
    files: policy(
      `closed if input.resource.state == "suspended"\n\n${executing}not closed with input as input.context.inputs\n}`,
    ),
  },
  { name: 'a list of data that does not exist', files: policy('allow if not data.lists.frozn[input.resource.id]') },
];

// Here undefined closes, or cannot be.
const closing: Readonly<Record<string, string>> = {
  'an input that the allow needs': 'allow if input.context.inputs.approved',
  'a value that is named': 'allow if input.context.inputs.blocked == false',
  'an input that a call below a not needs': 'allow if not startswith(input.context.inputs.to, "x")',
  'an input that the same body needs':
    'allow if {\n\tis_boolean(input.context.inputs.blocked)\n\tnot input.context.inputs.blocked\n}',
  'a member that every envelope has': 'allow if not input.resource.state == "suspended"',
  'a member that every envelope of the action has': `${executing}not input.context.delivery == "at_least_once"\n}`,
  'a default of the author': 'allow if object.get(input.context.inputs, "blocked", false) == false',
  'an element of a set': 'allow if roles["admin"]\n\nroles contains role if some role in input.context.inputs.roles',
  'all providers': `${executing}every one in input.context.providers {\n\t\tnot one.health == "down"\n\t}\n}`,
  'a function of what every envelope has':
    'allow if {\n\tsome one in input.context.providers\n\tnot bad(one)\n}\n\nbad(one) if one.health == "down"',
  'a member of what a rule takes, that every envelope has':
    'asked := input.resource\n\nallow if not asked.state == "suspended"',
  'a member of a table of the policy': 'levels := {"a": 1}\n\nallow if not levels[input.resource.id] == 1',
  'a result of a builtin': 'allow if {\n\tlength := count(input.resource.id)\n\tnot length > 99\n}',
  'a part that the same body needs':
    'allow if {\n\tparts := split(input.resource.id, "@")\n\tis_string(parts[1])\n\tnot parts[1] == "1.0.0"\n}',
  'a value that is named, of what a rule takes': `inputs := input.context.inputs\n\n${executing}inputs.blocked == false\n}`,
  'a list of the data': 'allow if not data.lists.frozen[input.resource.id]',
  'a deny that undefined fires': 'deny contains "x" if not input.context.inputs.approved',
  'a deny of what the caller sends': 'deny contains "x" if input.context.inputs.amount > 100',
};

describe('the gates of the policies folder', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  itRefuses(
    () => bench,
    opening.map((refusal) => ({ ...refusal, code: 'undefined_allows' })),
  );

  for (const [name, rules] of Object.entries(closing))
    it(`take ${name}`, async () => {
      const { diagnostics } = await bench.build({ ...policy(rules), 'data.json': '{"lists": {"frozen": {}}}' });
      expect(diagnostics).to.deep.equal([]);
    });

  it('take what the file accepts by name, and what a policy in another mode says', async () => {
    const marked = (custom: string) =>
      `# METADATA\n# custom:\n#   ${custom}\npackage orb.policies.a\n\nallow if not input.context.inputs.blocked\n`;
    for (const custom of ['fallible: accepted', 'mode: shadow'])
      expect((await bench.build({ 'a.rego': marked(custom) })).diagnostics).to.deep.equal([]);
  });

  it('refuse a fallible builtin in the body of a not', async () => {
    const source =
      'package orb.policies.a\n\nimport future.keywords.not\n\nallow if not {\n\tx := to_number(input.context.inputs.n)\n\tx > 3\n}\n';
    const { diagnostics } = await bench.build({ 'a.rego': source });
    expect(diagnostics.map(({ code }) => code)).to.include('fallible_builtin');
  });
});
