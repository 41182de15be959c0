import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../helpers/folder.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { llm, spend } from '../../plugins/policy/envelope/models.ts';
import { compilerOrSkip } from '../plugins/policy/compiler.ts';
import { modelCall } from '../plugins/policy/model-call.ts';
import { allowing, createWorkbench, outcome, type Workbench } from '../plugins/policy/workbench.ts';

const page = 'plugins/docs/pages/operate/model-policies.md';

describe('the page on policies for calls of models', () => {
  let bench: Workbench;
  before(function () {
    const office = { members: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3'], links: false };
    bench = createWorkbench(compilerOrSkip(this), Infinity, new Map([['office', office]]));
  });
  after(() => bench?.stop());

  it('lists all that a policy sees', () => {
    const text = readFileSync(join(packageDir, page), 'utf8');
    const listed = [...text.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(listed).to.include.members([...Object.keys(llm.properties), ...Object.keys(spend.properties)]);
  });

  it('has a policy that asks people about larger ones', async () => {
    const [, policy = ''] = guideBlocks(page).map(({ code }) => code);
    const decider = await bench.decider(await bench.revision({ 'base.rego': allowing, 'large_prompts.rego': policy }));
    expect(await outcome(decider.decide(modelCall({ input_bytes: 1_000_000 })))).to.equal('allow');
    expect(await outcome(decider.decide(modelCall({ input_bytes: 1_000_001 })))).to.equal('ask large_prompt');
  });

  it('has a policy that denies long prompts', async () => {
    const [policy = ''] = guideBlocks(page).map(({ code }) => code);
    const decider = await bench.decider(await bench.revision({ 'base.rego': allowing, 'small_prompts.rego': policy }));
    expect(await outcome(decider.decide(modelCall({ input_bytes: 100_000 })))).to.equal('allow');
    expect(await outcome(decider.decide(modelCall({ input_bytes: 100_001 })))).to.equal('policy_denied');
  });
});
