import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../../helpers/folder.ts';
import { compilerOrSkip } from '../../policy/compiler.ts';
import { allowing, createWorkbench, outcome, question, type Workbench } from '../../policy/workbench.ts';

const read = (name: string): string => readFileSync(join(packageDir, 'plugins/mcp/policies', name), 'utf8');
const night = '2026-11-20T23:30:00.000Z';
const noon = '2026-11-20T12:00:00.000Z';

describe('the example policy for agents', function () {
  let workbench: Workbench;
  before(function () {
    workbench = createWorkbench(compilerOrSkip(this));
  });
  after(() => workbench.stop());

  const rows: readonly (readonly [title: string, channel: object, effect: string, time: string, found: RegExp])[] = [
    ['an irreversible run of an agent at night', { kind: 'mcp' }, 'irreversible', night, /^policy_denied$/],
    ['the same at noon', { kind: 'mcp' }, 'irreversible', noon, /^allow$/],
    ['a reversible one at night', { kind: 'mcp' }, 'reversible', night, /^allow$/],
    ['an irreversible run over HTTP at night', { kind: 'http' }, 'irreversible', night, /^allow$/],
  ];
  for (const listed of [false, true])
    it(`passes its own tests and decides${listed ? ', with a list of clients' : ''}`, async () => {
      const source = read('agents.rego');
      const agents = listed ? source.replace('clients := set()', 'clients := {"good-agent"}') : source;
      const files = { 'base.rego': allowing, 'agents.rego': agents, 'agents_test.rego': read('agents_test.rego') };
      const decider = await workbench.decider(await workbench.revision(files));
      const decided = (channel: object, effect: string, time: string): Promise<string> =>
        outcome(
          decider.decide(
            question('execute', ({ context, resource }) => {
              Object.assign(context, { channel, time });
              resource['effect'] = effect;
            }),
          ),
        );
      for (const [title, channel, effect, time, found] of listed ? [] : rows)
        expect(await decided(channel, effect, time), title).to.match(found);
      const claimed = (name: string): object => ({ kind: 'mcp', client: { name } });
      expect(await decided(claimed('good-agent'), 'none', noon)).to.equal('allow');
      expect(await decided(claimed('other'), 'none', noon)).to.equal(listed ? 'policy_denied' : 'allow');
      expect(await decided({ kind: 'mcp' }, 'none', noon)).to.equal(listed ? 'policy_denied' : 'allow');
    });
});
