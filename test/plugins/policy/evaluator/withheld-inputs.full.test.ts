import { expect } from 'chai';
import { entrypointOf } from '../../../../plugins/policy/decide/decider.ts';
import { WebAssembly } from '../../../../plugins/policy/evaluator/web-assembly.ts';
import { evaluatorOf, type Evaluator } from '../../../../plugins/policy/evaluator/evaluate.ts';
import { readResult } from '../../../../plugins/policy/evaluator/result.ts';
import { compilerOrSkip } from '../compiler.ts';
import { asked, folder, seeded } from '../generated.ts';
import { createWorkbench, question, type Workbench } from '../workbench.ts';

const withheld = [['context', 'inputs']] as const;
const time_ns = '1767225600000000000';

/** Says what an evaluation with the inputs withheld came to. */
function withoutInputs(evaluator: Evaluator, envelope: object): string {
  const { context, ...rest } = structuredClone(envelope) as { context: Record<string, unknown> };
  delete context['inputs'];
  const input = JSON.stringify({ ...rest, context });
  const found = evaluator.evaluate({ entrypoint: entrypointOf('execute'), input, time_ns, withheld });
  if ('answer' in found) return JSON.stringify(readResult(found.answer));
  return found.needs_withheld === true ? 'needed' : found.fault;
}

function withInputs(evaluator: Evaluator, envelope: object, inputs: object): string {
  const { context, ...rest } = envelope as { context: object };
  const input = JSON.stringify({ ...rest, context: { ...context, inputs } });
  const found = evaluator.evaluate({ entrypoint: entrypointOf('execute'), input, time_ns });
  return 'answer' in found ? JSON.stringify(readResult(found.answer)) : found.fault;
}

describe('an evaluation with the inputs withheld', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  const evaluator = async (files: Readonly<Record<string, string>>): Promise<Evaluator> => {
    const { wasm, data } = await bench.revision(files);
    return evaluatorOf({ module: await WebAssembly.compile(wasm), data: JSON.stringify(data) });
  };
  const ruled = (rule: string, more = ''): Promise<Evaluator> =>
    evaluator({
      'a.rego': `package orb.policies.a\n\nallow if input.action.name\n\ndeny contains "no" if {\n\t${rule.split('; ').join('\n\t')}\n}\n${more}`,
    });

  const rules: readonly (readonly [string, string, 'needed' | 'allow' | 'deny' | 'policy_builtin_error'])[] = [
    ['a comparison', 'input.context.inputs.n == 1', 'needed'],
    ['that a member is missing', 'not input.context.inputs.n; true', 'needed'],
    ['the inputs as a condition', 'input.context.inputs; false', 'needed'],
    ['a walk over the context', 'walk(input.context, [_, "x"])', 'needed'],
    ['a member by a name that is known later', 'some k; input.context[k] == "x"', 'needed'],
    ['the root in a local', 'x := input; x.context.inputs.n == 1', 'needed'],
    ['a comparison of wholes', 'input.context.inputs == input.resource', 'needed'],
    ['the text of the context', 'json.marshal(input.context) == ""', 'needed'],
    ['a builtin of ours', 'crypto.sha256(json.marshal(input.context.inputs)) == ""', 'needed'],
    ['a guard before it', 'input.resource.id == "other"; input.context.inputs.n == 1', 'allow'],
    ['how many members the context has', 'count(input.context) == 0', 'allow'],
    ['what is equal whatever it is', 'input.resource.namespace == "nobody"', 'allow'],
    ['a deny of something else', 'input.subject.mode == "live"', 'deny'],
  ];
  for (const [name, rule, expected] of rules)
    it(`${expected === 'needed' ? 'ends at' : 'ends past'} ${name}`, async () => {
      const found = withoutInputs(await ruled(rule), question('execute'));
      const shown = found.startsWith('{')
        ? (JSON.parse(found) as { allow: boolean }).allow
          ? 'allow'
          : 'deny'
        : found;
      expect(shown).to.equal(expected);
    });

  it('ends at a warning that quotes the inputs', async () => {
    const quoting = await ruled('false', '\nwarn contains $"{input.context.inputs.n}" if true\n');
    expect(withoutInputs(quoting, question('execute'))).to.equal('needed');
  });

  it('leaves the evaluator fit for the next question', async () => {
    const made = await ruled('input.resource.id == "x.y@1.0.0"; input.context.inputs.n == 1');
    const reads = question('execute', ({ resource }) => void (resource['id'] = 'x.y@1.0.0'));
    for (let round = 0; round < 1000; round += 1) expect(withoutInputs(made, reads)).to.equal('needed');
    expect(withoutInputs(made, question('execute'))).to.include('"allow":true');
    expect(withInputs(made, reads, { n: 1 })).to.include('"allow":false');
  });

  it('says nothing that any inputs change, on generated policies', async function () {
    this.timeout(600_000);
    const values = [
      {},
      { n: 5 },
      { n: 1, m: { x: 1 } },
      { s: 'hit', a: 1, b: 1 },
      { t: 'hit', m: { y: 'deep' } },
      { n: null, s: 'b' },
    ];
    let decided = 0;
    let needed = 0;
    for (let seed = 1; seed <= (process.env['POLICY_SOAK'] === '1' ? 12 : 4); seed += 1) {
      const random = seeded(seed + 5000);
      const files = folder(random);
      const made = await evaluator(files);
      for (let round = 0; round < 40; round += 1) {
        const envelope = asked(random);
        const found = withoutInputs(made, envelope);
        if (found === 'needed') needed += 1;
        else {
          decided += 1;
          for (const inputs of values)
            expect(
              withInputs(made, envelope, inputs),
              `${files['generated.rego']}\n${JSON.stringify(envelope)}`,
            ).to.equal(found);
        }
      }
    }
    expect([decided > 50, needed > 50], `${decided} decided, ${needed} needed the inputs`).to.deep.equal([true, true]);
  });
});
