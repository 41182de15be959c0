import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { AccessRequest } from '../../../../kernel/index.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { compilerOrSkip } from '../../policy/compiler.ts';
import { modelCall } from '../../policy/model-call.ts';
import { allowing, createWorkbench, outcome, type Workbench } from '../../policy/workbench.ts';

const folder = join(packageDir, 'plugins/models/policies');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const counts = { assumed: 0, reserved: 0, limit: 50_000_000_000 };
const spent = (nanos: number): object => ({ context: { spend: { budgets: [], day: { spent: nanos, ...counts } } } });
const owner = { subject: { id: 'prn_01M8FAMKDW8EACJ6XYYH95MPC3' } };

const findings = { platform_key: 0, private_key: 0, aws_key: 0, jwt: 0, card_number: 0 };

interface Row {
  readonly title: string;
  readonly question: () => AccessRequest;
  readonly found: 'allow' | 'policy_denied';
}

const rows: Readonly<Record<string, readonly Row[]>> = {
  models_per_key: [
    { title: 'a model for all', question: () => modelCall({ alias: 'small' }), found: 'allow' },
    { title: 'a model of another key', question: () => modelCall({ alias: 'large' }), found: 'policy_denied' },
    { title: 'a model of the key', question: () => modelCall({ alias: 'large' }, owner), found: 'allow' },
  ],
  no_tools: [
    { title: 'no tool', question: () => modelCall({}), found: 'allow' },
    { title: 'a tool', question: () => modelCall({ tools: ['look'] }), found: 'policy_denied' },
  ],
  daily_ceiling: [
    {
      title: 'below the ceiling',
      question: () => modelCall({ ask: { tokens: 10, nanos: 500 } }, spent(999_999_500)),
      found: 'allow',
    },
    {
      title: 'above it',
      question: () => modelCall({ ask: { tokens: 10, nanos: 501 } }, spent(999_999_500)),
      found: 'policy_denied',
    },
    { title: 'an unknown cost', question: () => modelCall({ ask: { tokens: 10 } }, spent(0)), found: 'policy_denied' },
    {
      title: 'unknown counts',
      question: () => modelCall({ ask: { tokens: 10, nanos: 1 } }),
      found: 'policy_denied',
    },
  ],
  prompt_secrets: [
    { title: 'no secret', question: () => modelCall({ findings }), found: 'allow' },
    {
      title: 'a private key',
      question: () => modelCall({ findings: { ...findings, private_key: 1 } }),
      found: 'policy_denied',
    },
    {
      title: 'a card for a vendor',
      question: () => modelCall({ findings: { ...findings, card_number: 1 } }),
      found: 'policy_denied',
    },
  ],
};

describe('the example policies for calls of models', function () {
  let workbench: Workbench;
  before(function () {
    workbench = createWorkbench(compilerOrSkip(this));
  });
  after(() => workbench.stop());

  it('are all tried here, each with tests of its own', () => {
    const names = Object.keys(rows).flatMap((name) => [`${name}.rego`, `${name}_test.rego`]);
    expect(readdirSync(folder).sort()).to.deep.equal(names.sort());
  });

  for (const [name, cases] of Object.entries(rows))
    it(`pass their own tests and decide: ${name}`, async () => {
      const own = { [`${name}.rego`]: read(`${name}.rego`), [`${name}_test.rego`]: read(`${name}_test.rego`) };
      const built = await workbench.build({ 'base.rego': allowing, ...own });
      expect(built.diagnostics).to.deep.equal([]);
      expect(built.tests.length).to.be.above(1);
      const decider = await workbench.decider(await workbench.revision({ 'base.rego': allowing, ...own }));
      for (const { title, question, found } of cases)
        expect(await outcome(decider.decide(question())), title).to.equal(found);
    });
});
