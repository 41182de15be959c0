import { expect } from 'chai';
import { createClient } from '../../kernel/cli/client.ts';
import { run } from '../../kernel/cli/run.ts';
import type { Command, CommandCall } from '../../kernel/index.ts';
import { runCommands } from '../../kernel/runtime/run/run-commands.ts';
import { showCommand } from '../../plugins/receipts/commands/api.ts';
import { runCommand } from '../helpers/command.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { waywardAdapter, waywardOrb } from '../helpers/wayward.ts';

const orb = 'test.irreversible@1.0.0';

describe('reasons at the front door', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      adapters: [waywardAdapter],
      platform: { providers: { odd: { adapter: 'wayward/local' } }, bindings: { [orb]: ['odd'] } },
      data: { [`orbs/${orb}.json`]: waywardOrb('irreversible') },
    });
  });
  after(() => platform.stop());

  const notes: string[] = [];
  const orbCommand = (
    command: Command,
    args: readonly string[],
    options: CommandCall['options'] = {},
    key?: string,
  ) => {
    notes.length = 0;
    const client = () => createClient({ ORB_URL: platform.url, ORB_KEY: key ?? platform.adminKey }, platform.stateDir);
    const call: Partial<CommandCall> = {
      client,
      options: { orbiset: 'default', ...options },
      note: (said) => void notes.push(said),
    };
    return runCommand<Record<string, unknown>>(command, platform.stateDir, args, call);
  };
  const runsShow = runCommands.find(({ path }) => path === 'runs show') ?? expect.fail();
  const inputs = (behaviour: string): string => JSON.stringify({ behaviour, echo: 'x' });
  const failing = async (behaviour: string): Promise<string> => {
    const body = { orb_id: orb, inputs: { behaviour, echo: 'x' } };
    return String((await platform.call('POST', '/orbisets/default/execute', body)).body.run_id);
  };

  describe('the score of a run, in the commands', () => {
    it('orb run explains the score of a run that completed with its deductions', async () => {
      const { text } = await orbCommand(run, [orb, inputs('answers')]);
      expect(text).to.match(/^score {4}\d+ · .+ −\d+/m);
    });

    it('orb run names the gate of a run that failed, and its reason as before', async () => {
      const failed = await orbCommand(run, [orb, inputs('has a fault')]).catch((error: unknown) => String(error));
      expect(failed).to.include('the account is suspended');
      expect(notes.join('\n')).to.match(/^receipt {2}rec_\w+ {2}score \d+ · failed: at most 39/);
    });

    it('orb runs show and orb receipts show explain it in the same words', async () => {
      const shown = await orbCommand(runsShow, [await failing('is unknown')]);
      const words =
        /^trust_score +(\d+ · indeterminate: at most 49.*)$/m.exec(shown.text)?.[1] ?? expect.fail(shown.text);
      const receipt = await orbCommand(showCommand, [String(shown.value['receipt_id'])]);
      expect(receipt.text).to.include(words);
      expect(receipt.text)
        .to.match(/^status +indeterminate$/m)
        .and.match(/^signature_valid +yes$/m);
    });

    it('of a receipt that the key may not read is left out, and so it is in JSON', async () => {
      const runId = await failing('has a fault');
      const key = await platform.key({ name: 'runs', scopes: ['runs:read'] });
      expect((await orbCommand(runsShow, [runId], {}, key)).text).to.not.include('trust_score');
      expect((await orbCommand(runsShow, [runId], { json: true })).value).to.not.have.property('trust_score');
    });
  });
});
