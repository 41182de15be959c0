import { expect } from 'chai';
import type { ReadPaths } from '../../../../plugins/policy/contract.ts';
import { activeOf } from '../../../../plugins/policy/decide/decider.ts';
import { readShipped } from '../../../../plugins/policy/shipped.ts';
import { compilerOrSkip } from '../compiler.ts';
import { allowing, createWorkbench, deciderOn, outcome, question, type Workbench } from '../workbench.ts';

const shipped = readShipped();
const inputs = { x: 1, text: 'needle' };
const asked = (given: object = inputs) => question('execute', ({ context }) => (context['inputs'] = given));

describe('inputs of a run', () => {
  const rows: readonly (readonly [name: string, execute: ReadPaths, sent: boolean])[] = [
    ['are not sent when no policy reads them', { all: false, paths: [['resource', 'id']] }, false],
    ['are not sent with other members of the context', { all: false, paths: [['context', 'llm', 'alias']] }, false],
    ['are sent when a policy reads one', { all: false, paths: [['context', 'inputs', 'x']] }, true],
    ['are sent when a policy reads them parsed', { all: false, paths: [['context', 'parsed']] }, true],
    ['are sent when a policy reads the context', { all: false, paths: [['context']] }, true],
    ['are sent when a policy reads any member of the context', { all: false, paths: [['context', null, 'x']] }, true],
    ['are sent when a policy reads the root', { all: false, paths: [[]] }, true],
    ['are sent when it is unknown what is read', { all: true, paths: [] }, true],
  ];
  for (const [name, execute, sent] of rows)
    it(`${name}`, async () => {
      const found: string[] = [];
      const decider = deciderOn({
        ...{ load: () => undefined, warm: () => undefined, unload: () => undefined, queued: () => 0 },
        evaluate: async ({ input = '' }) => (found.push(input), { answer: [] }),
        stop: async () => undefined,
      });
      decider.use(activeOf(shipped.digest, { ...shipped, entrypoints: { ...shipped.entrypoints, execute } }));
      await decider.decide(asked());
      const { context } = JSON.parse(found[0] ?? '') as { readonly context: { readonly inputs: object } };
      expect(context.inputs).to.deep.equal(sent ? inputs : {});
      expect(context).to.include({ inputs_bytes: 2, revision: shipped.digest });
    });
});

describe('a policy', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  const ways = [
    'input.context.inputs.x == 1',
    'input["context"]["inputs"].x == 1',
    'some value in input.context\n\tvalue.x == 1',
    'some name in ["inputs"]\n\tinput.context[name].x == 1',
    'all := input.context\n\tall.inputs.x == 1',
    'all := input\n\tall.context.inputs.x == 1',
    'object.get(input, ["context", "inputs", "x"], 0) == 1',
    'walk(input, [_, value])\n\tvalue == "needle"',
    'contains(json.marshal(input.context), "needle")',
    'count([1 | input.context.inputs.x == 1]) == 1',
    'holds(input)',
    'not_empty(input.context.inputs)',
  ];
  const helpers = 'holds(all) if all.context.inputs.x == 1\n\nnot_empty(all) if count(all) > 0\n';
  it('sees the inputs in whatever way it reads them', async () => {
    for (const way of ways) {
      const policy = `# METADATA\n# custom:\n#   fallible: accepted\npackage orb.policies.one\n\ndeny contains "x" if {\n\t${way}\n}\n\n${helpers}`;
      const decider = await bench.decider(await bench.revision({ 'base.rego': allowing, 'one.rego': policy }));
      expect(await outcome(decider.decide(asked())), way).to.equal('policy_denied');
      expect(await outcome(decider.decide(asked({}))), way).to.equal('allow');
    }
  });
});
