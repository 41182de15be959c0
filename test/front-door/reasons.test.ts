import { expect } from 'chai';
import { createClient } from '../../kernel/cli/command/client.ts';
import { run, runCommands } from '../../plugins/runtime/run/run-commands.ts';
import type { Command, CommandCall } from '../../kernel/index.ts';
import { showCommand } from '../../plugins/receipts/commands/api.ts';
import { runCommand } from '../helpers/command.ts';
import { inStore } from '../helpers/stored.ts';
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
      const runId = await failing('is rejected');
      const key = await platform.key({ name: 'runs', scopes: ['runs:read'] });
      expect((await orbCommand(runsShow, [runId], {}, key)).text).to.not.include('trust_score');
      expect((await orbCommand(runsShow, [runId], { json: true })).value).to.not.have.property('trust_score');
    });
  });

  describe('the reason of a failed run', () => {
    const shown = async (runId: string, key?: string) =>
      (await platform.call('GET', `/runs/${runId}`, undefined, key)).body;

    for (const [behaviour, code, message] of [
      ['is rejected', 'provider_rejected', 'no such recipient'],
      ['has a fault', 'provider_failed', 'the account is suspended'],
      ['is unknown', 'outcome_unknown', 'the connection broke'],
    ] as const)
      it(`is kept where no inputs are kept, and is sealed: ${behaviour}`, async () => {
        const run = await shown(await failing(behaviour));
        expect(run.failure).to.deep.equal({ code, message });
        const [row, ...more] = await inStore(
          platform.home,
          'SELECT name, sealed FROM receipts_values WHERE receipt_id = ?',
          run.receipt_id,
        );
        expect([row?.['name'], more]).to.deep.equal(['reason', []]);
        expect(Buffer.from(row?.['sealed'] as Uint8Array).includes(message)).to.equal(false);
      });

    it('is shown to the principal of the run and to runs:read of its tenant, in the API and in orb runs show', async () => {
      const key = await platform.key({ name: 'own', scopes: ['orbs:execute'] });
      const body = { orb_id: orb, inputs: { behaviour: 'is rejected', echo: 'x' } };
      const { run_id } = (await platform.call('POST', '/orbisets/default/execute', body, key)).body;
      const reader = await platform.key({ name: 'reader', scopes: ['runs:read'] });
      for (const allowed of [key, reader])
        expect((await shown(run_id, allowed)).failure.message).to.equal('no such recipient');
      const other = await platform.key({ name: 'other', scopes: ['orbs:execute'] });
      expect((await shown(run_id, other)).code).to.equal('run_not_found');
      expect((await orbCommand(runsShow, [run_id], {}, reader)).text).to.match(
        /^failure +no such recipient \(provider_rejected\)$/m,
      );
    });

    it('is not kept of a run that completed', async () => {
      const answered = { orb_id: orb, inputs: { behaviour: 'answers', echo: 'x' } };
      const { receipt } = (await platform.call('POST', '/orbisets/default/execute', answered)).body;
      const rows = await inStore(
        platform.home,
        'SELECT name FROM receipts_values WHERE receipt_id = ?',
        receipt.receipt_id,
      );
      expect(rows).to.deep.equal([]);
    });

    it('that is damaged, or of another run, is left out', async () => {
      const [one, two] = [await shown(await failing('is rejected')), await shown(await failing('is rejected'))];
      const copy = `UPDATE receipts_values SET sealed = (SELECT sealed FROM receipts_values WHERE receipt_id = ?) WHERE receipt_id = ?`;
      await inStore(platform.home, copy, one.receipt_id, two.receipt_id);
      expect(await shown(two.run_id)).to.not.have.property('failure');
      await inStore(
        platform.home,
        'UPDATE receipts_values SET sealed = ? WHERE receipt_id = ?',
        Buffer.alloc(60),
        one.receipt_id,
      );
      expect(await shown(one.run_id)).to.not.have.property('failure');
    });
  });

  it('are not kept with `retention.reasons_days: 0`', async () => {
    const other = await startPlatform({
      adapters: [waywardAdapter],
      platform: {
        plugins: { receipts: { config: { retention: { reasons_days: 0 } } } },
        providers: { odd: { adapter: 'wayward/local' } },
      },
      data: { [`orbs/${orb}.json`]: waywardOrb('irreversible') },
    });
    try {
      const body = { orb_id: orb, inputs: { behaviour: 'is rejected', echo: 'x' } };
      const ran = await other.call('POST', '/orbisets/default/execute', body);
      expect(ran.body.code).to.equal('provider_rejected');
      const { body: run } = await other.call('GET', `/runs/${ran.body.run_id}`);
      expect(run.status).to.equal('failed');
      expect(run).to.not.have.property('failure');
      expect(await inStore(other.home, 'SELECT name FROM receipts_values')).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });
});
