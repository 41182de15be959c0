import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { compilerOrSkip } from '../plugins/policy/compiler.ts';
import { allowing, createWorkbench, question, type Workbench } from '../plugins/policy/workbench.ts';

type Members = readonly string[];
interface Settings {
  readonly plugins: { readonly approvals: { readonly config: { readonly groups: Record<string, Members | object> } } };
}

const page = 'plugins/docs/pages/operate/approvals.md';
const blocks = guideBlocks(page).map(({ code }) => code);
const [settings, policy, helper] = blocks;

describe('the page on approvals', () => {
  let bench: Workbench;
  before(function () {
    const { groups } = (JSON.parse(settings ?? '') as Settings).plugins.approvals.config;
    const finance = groups['finance'] as { readonly members: Members; readonly links: boolean };
    bench = createWorkbench(compilerOrSkip(this), Infinity, new Map([['finance', finance]]));
  });
  after(() => bench?.stop());

  it('names settings that a server starts with', async () => {
    const all = blocks.filter((code) => code.includes('"plugins"'));
    expect(all).to.have.length(2);
    for (const one of all) {
      const platform = await startPlatform({ platform: JSON.parse(one) as object });
      await platform.stop();
    }
  });

  it('has a policy that asks as the page says, also when the amount is missing', async () => {
    const files = { 'base.rego': allowing, 'large_payment.rego': `${policy}\n${helper}` };
    const decider = await bench.decider(await bench.revision(files));
    const asked = async (inputs: object): Promise<readonly string[] | undefined> => {
      const { verdict } = await decider.decide(
        question('execute', ({ context, resource }) => {
          Object.assign(resource, { action_class: 'payment' });
          Object.assign(context, { inputs });
        }),
      );
      return verdict.asks?.map(({ message, of }) => `${of}: ${message}`);
    };
    expect(await asked({ amount: 100 })).to.equal(undefined);
    expect(await asked({ amount: 101 })).to.deep.equal(['2: a payment of 101']);
    expect(await asked({})).to.deep.equal(['2: a payment of <undefined>']);
  });
});
