import { expect } from 'chai';
import { compilerOrSkip } from './compiler.ts';
import { itRefuses, policy, type Refusal } from './refusals.ts';
import { allowing, createWorkbench, outcome, question, type Workbench } from './workbench.ts';

const groups = new Map([
  ['finance', { members: ['prn_1', 'prn_2'], links: false }],
  ['office', { members: ['prn_3'], links: true }],
]);
const asking = (more = '', condition = ' if input.action.name == "execute"'): string =>
  `ask contains {"code": "big", "message": "a big one", "approvers": "finance"${more}}${condition}`;

const faulty: readonly (Omit<Refusal, 'code' | 'files'> & { readonly rules: string })[] = [
  { name: 'a text', rules: 'ask contains "please"', at: ['a.rego', 3, 14] },
  { name: 'a number behind a local', rules: 'ask contains 3 if input.action.name == "execute"', at: ['a.rego', 3, 14] },
  { name: 'no code', rules: 'ask contains {"message": "x", "approvers": "finance"}', at: ['a.rego', 3, 14] },
  { name: 'no message', rules: 'ask contains {"code": "x", "approvers": "finance"}', at: ['a.rego', 3, 14] },
  { name: 'no approvers', rules: 'ask contains {"code": "x", "message": "x"}', at: ['a.rego', 3, 14] },
  { name: 'a group that is unknown', rules: asking().replace('finance', 'nobody'), at: ['a.rego', 3, 67] },
  { name: 'a code of another form', rules: asking().replace('"big"', '"Big"'), at: ['a.rego', 3, 23] },
  { name: 'a code of the engine', rules: asking().replace('"big"', '"policy_timeout"'), at: ['a.rego', 3, 23] },
  { name: 'an empty message', rules: asking().replace('"a big one"', '""') },
  { name: 'more people than there are', rules: asking(', "of": 3'), at: ['a.rego', 3, 84] },
  { name: 'nobody', rules: asking(', "of": 0') },
  { name: 'half a person', rules: asking(', "of": 1.5') },
  { name: 'a text for a number', rules: asking(', "of": "1"') },
  { name: 'less than a minute', rules: asking(', "expires_s": 59') },
  { name: 'more than a week', rules: asking(', "expires_s": 604801') },
  { name: 'another binding', rules: asking(', "bind": "all"') },
  { name: 'another member', rules: asking(', "silence": "allow"'), at: ['a.rego', 3, 78] },
  {
    name: 'a fault in an object of the body',
    rules: 'ask contains a if {\n\ta := {"code": "big"}\n}',
    at: ['a.rego', 4, 7],
  },
];

const undefinable: readonly (readonly [name: string, rules: string])[] = [
  ['an input', asking().replace('"a big one"', 'input.context.inputs.subject')],
  ['the result of a call', asking().replace('"a big one"', 'sprintf("%s", [input.context.inputs.subject])')],
  [
    'an input behind a local',
    asking('', ' if subject := input.context.inputs.subject').replace('"a big one"', 'subject'),
  ],
  [
    'an input behind two locals',
    asking('', ' if {\n\tone := input.context.inputs.subject\n\tsubject := one\n}').replace('"a big one"', 'subject'),
  ],
  ['data that no file defines', asking().replace('"finance"', 'data.lists.group')],
];

describe('policies that ask for approvals', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this), Infinity, groups);
  });
  after(() => bench?.stop());

  itRefuses(
    () => bench,
    faulty.map(({ rules, ...one }) => ({ ...one, files: policy(rules), code: 'wrong_ask' })),
  );
  itRefuses(
    () => bench,
    undefinable.map(([name, rules]) => ({
      name,
      files: policy(rules),
      code: 'undefined_ask',
      hint: /template string/,
    })),
  );
  itRefuses(
    () => bench,
    [
      {
        name: 'an ask about a swap',
        files: { 'a.rego': `package orb.swap\n\n${asking('', '')}\n` },
        code: 'wrong_ask',
        at: ['a.rego', 3, 1],
      },
      {
        name: 'an ask that is no set',
        files: policy('ask := {"code": "x"}'),
        code: 'wrong_rule',
        hint: /ask contains/,
      },
      {
        name: 'an ask behind a builtin that can fail',
        files: policy(asking('', ' if to_number(input.context.inputs.amount) > 3')),
        code: 'fallible_builtin',
      },
    ],
  );

  it('name their groups, and ask where they hold', async () => {
    const built = await bench.build({ 'base.rego': allowing, ...policy(asking(', "of": 2, "bind": "provider"')) });
    expect(built.policies.map(({ approvers }) => approvers)).to.deep.equal([['finance'], undefined]);
    const revision = await bench.revision({ 'base.rego': allowing, ...policy(asking(', "of": 2')) });
    const decider = await bench.decider(revision, { caching: true });
    // The second answer is the one of the cache.
    for (const cached of [false, true]) {
      const decided = await decider.decide(question('execute'));
      expect(decided.cached).to.equal(cached);
      expect(decided.verdict.asks).to.deep.equal([
        {
          code: 'big',
          message: 'a big one',
          approvers: 'finance',
          of: 2,
          expires_s: 3600,
          bind: 'inputs',
          policies: ['a'],
        },
      ]);
    }
    expect(await outcome(decider.decide(question('swap')))).to.equal('allow');
  });

  it('deny at the evaluation what no check could see: a swap, and a group of the input', async () => {
    const group =
      'ask contains {"code": "big", "message": "x", "approvers": group} if {\n\tsome group in input.context.inputs.groups\n}';
    for (const [action, rules] of [
      ['swap', asking('', '')],
      ['execute', group],
    ] as const) {
      const decider = await bench.decider(await bench.revision({ 'base.rego': allowing, ...policy(rules) }));
      const asked = question(action, ({ context }) => {
        if (action === 'execute') context['inputs'] = { groups: ['nobody'] };
      });
      expect(await outcome(decider.decide(asked)), action).to.equal('policy_ask_invalid');
    }
  });

  it('never win over a deny, in whatever order the files come', async () => {
    const denying = 'package orb.policies.other\n\ndeny contains "no"\n';
    for (const name of ['0.rego', 'z.rego']) {
      const revision = await bench.revision({ 'base.rego': allowing, [name]: denying, ...policy(asking('', '')) });
      expect(await outcome((await bench.decider(revision)).decide(question('execute'))), name).to.equal(
        'policy_denied',
      );
    }
  });

  it('need an allow: an ask alone allows nothing', async () => {
    const decider = await bench.decider(await bench.revision(policy(asking())));
    expect(await outcome(decider.decide(question('execute')))).to.equal('not_allowed');
  });

  it('may leave out what was approved', async () => {
    const rules = `${asking('', ' if {\n\tinput.action.name == "execute"\n\tnot approved("big")\n}')}

approved(code) if {
	some approval in input.context.approvals
	approval.code == code
}`;
    const decider = await bench.decider(await bench.revision({ 'base.rego': allowing, ...policy(rules) }));
    expect(await outcome(decider.decide(question('execute')))).to.equal('ask big');
    const approval = { code: 'big', approvers: 'finance', approved_by: ['prn_1'], at: '2026-01-01T00:00:00.000Z' };
    const asked = question('execute', ({ context }) => (context['approvals'] = [approval]));
    expect(await outcome(decider.decide(asked))).to.equal('allow');
  });

  it('only warn, or are only counted, in the modes warn and shadow', async () => {
    for (const mode of ['warn', 'shadow']) {
      const source = `# METADATA\n# custom:\n#   mode: ${mode}\npackage orb.policies.a\n\n${asking()}\n`;
      const decider = await bench.decider(await bench.revision({ 'base.rego': allowing, 'a.rego': source }));
      const { verdict } = await decider.decide(question('execute'));
      expect(verdict).to.deep.include({ allow: true, [mode === 'warn' ? 'warns' : 'shadow_denies']: 1 });
    }
  });
});

describe('policies that ask where nobody can be asked', () => {
  it('are refused', async function () {
    const bench = createWorkbench(compilerOrSkip(this));
    const { revision, diagnostics } = await bench.build(policy(asking()));
    await bench.stop();
    expect(revision).to.equal(undefined);
    expect(diagnostics[0]).to.include({ code: 'wrong_ask', file: 'a.rego', line: 3 });
    expect(diagnostics[0]?.message).to.match(/the plugin approvals is not enabled/);
  });
});
