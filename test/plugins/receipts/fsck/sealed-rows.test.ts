import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { storePlaceOf } from '../../../../kernel/config/config.ts';
import { builtin } from '../../../helpers/shipped.ts';
import { checksOf, verdictOf } from '../../../../plugins/operate/contract.ts';
import { checkLog } from '../../../../plugins/operate/doctor/store.ts';
import type { CommandCall } from '../../../../kernel/index.ts';
import { runCommand, shippedCommand } from '../../../helpers/command.ts';
import { startPlatform } from '../../../helpers/platform.ts';
import { onPostgres, storeVariables } from '../../../helpers/store-engine.ts';
import { inStore } from '../../../helpers/stored.ts';

interface Result {
  readonly flaws: readonly { readonly exit: number; readonly where: string; readonly what: string }[];
  readonly sealed?: { readonly unchecked: string; readonly absent?: true };
}

describe('the sealed values of a store that a start opens', function () {
  this.timeout(120_000);
  const away: (() => unknown)[] = [];
  let home: string;
  let end: () => Promise<void>;
  const stateDir = (): string => join(home, 'data/state');
  const modules = builtin.plugins.flatMap(({ store }) => (typeof store === 'object' ? [store] : []));
  const more = (env: CommandCall['env'] = {}): Partial<CommandCall> => {
    const all = { ORB_HOME: home, ...storeVariables(home), ...env };
    return { modules, env: all, store: () => storePlaceOf(all, home, builtin.plugins) };
  };

  before(async () => {
    const platform = await startPlatform();
    ({ home } = platform);
    const url = 'https://receiver.test/hook';
    const made = await Promise.all([
      platform.call('POST', '/orbisets/default/subscriptions', { url, types: ['run.*'] }),
      platform.call('POST', '/sources', { name: 'grafana', vendor: 'grafana' }),
      platform.call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'a' } }),
    ]);
    expect(made.map(({ status }) => status < 300)).to.deep.equal([true, true, true]);
    await platform.stop({ keep: true });
    end = async () => (await startPlatform({ home })).stop();
  });
  after(async () => {
    for (const remove of away) remove();
    await end();
  });

  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'orb-sealed-'));
    away.push(() => rmSync(made, { recursive: true, force: true }));
    return join(made, 'copy');
  };
  /** Runs the check of `orb log fsck`, `backup`, `restore`, `store move` and `doctor`. */
  const checked = async (env: CommandCall['env'] = {}) => {
    let result: Result = { flaws: [] };
    const checks = checksOf(builtin.plugins).map((one) => ({
      ...one,
      command: {
        ...one.command,
        run: (call: CommandCall) =>
          one.command.run({ ...call, print: (value, text) => (call.print(value, text), (result = value as Result)) }),
      },
    }));
    const run = async (call: CommandCall) => (await verdictOf(call, checks)).exit;
    const { exit, notes } = await runCommand({ run }, stateDir(), [], more(env));
    const { flaws, sealed } = result;
    return { exit, flaws: flaws.map(({ where, what }) => `${where}: ${what}`), sealed, notes };
  };
  const doctor = async (env: CommandCall['env'] = {}) => {
    let found: Awaited<ReturnType<typeof checkLog>> = [];
    const run = async (call: CommandCall) => void (found = await checkLog(call));
    await runCommand({ run }, stateDir(), [], more(env));
    return found.map(({ name, state }) => `${name}: ${state}`);
  };
  const starts = (): Promise<boolean> =>
    startPlatform({ home }).then(
      (platform) => platform.stop({ keep: true }).then(() => true),
      () => false,
    );
  /** Runs something while a sealed value has another one in its place. */
  const whileChanged = async (
    table: string,
    condition: string,
    change: (sealed: Uint8Array) => Uint8Array,
    run: () => Promise<void>,
  ) => {
    const column = table === 'kernel_installation' ? 'sealed_check' : 'sealed';
    const [row] = await inStore(home, `SELECT ${column} AS sealed FROM ${table} WHERE ${condition}`);
    const sealed = row?.['sealed'] as Uint8Array;
    const put = (value: Uint8Array) => inStore(home, `UPDATE ${table} SET ${column} = ? WHERE ${condition}`, value);
    await put(change(Uint8Array.from(sealed)));
    try {
      await run();
    } finally {
      await put(sealed);
    }
  };
  const flipped = (sealed: Uint8Array): Uint8Array => {
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    return sealed;
  };

  it('all open in a whole store, and backup and restore say nothing of them', async () => {
    expect(await checked()).to.deep.equal({ exit: 0, flaws: [], sealed: undefined, notes: [] });
    expect(await doctor()).to.deep.equal(['log: ok']);
  });

  const damage: readonly (readonly [name: string, table: string, condition: string, says: RegExp])[] = [
    [
      'the seed of the receipt key',
      'receipts_signing_keys',
      "role = 'receipt' AND status = 'active'",
      /^signing key \S+: its sealed value does not open/,
    ],
    [
      'the seed of a log key',
      'receipts_signing_keys',
      "role = 'log' AND status = 'active'",
      /^signing key \S+: its sealed value does not open/,
    ],
    [
      'the seed of the certificate key',
      'receipts_signing_keys',
      "role = 'certificate' AND status = 'active'",
      /^signing key \S+: its sealed value does not open/,
    ],
    [
      'the key that signs callbacks',
      'subscriptions_key',
      'one = 1',
      /^the key that signs callbacks: its sealed value does not open/,
    ],
    ['a subscription', 'subscriptions_subscriptions', '1 = 1', /^subscription sub_\S+: its sealed value does not open/],
    [
      'the secret of a source',
      'ingestion_secrets',
      '1 = 1',
      /^secret of the source src_\S+: its sealed value does not open/,
    ],
    [
      'the secret of the ledger',
      'ledger_secret',
      'id = 1',
      /^the secret of pseudonyms in the ledger: its sealed value does not open/,
    ],
    [
      'the check of the master key',
      'kernel_installation',
      '1 = 1',
      /^master key: the value by which the store knows it was changed/,
    ],
  ];
  for (const [name, table, condition, says] of damage)
    it(`are found with a flipped bit, which a start refuses: ${name}`, async () => {
      await whileChanged(table, condition, flipped, async () => {
        const { exit, flaws } = await checked();
        expect(exit).to.equal(1);
        expect(flaws.filter((flaw) => says.test(flaw))).to.have.lengthOf(1);
        expect(flaws).to.have.lengthOf(1);
        expect(await doctor()).to.deep.equal(['log: fault']);
        expect(await starts()).to.equal(false);
      });
    });

  it('are found in the place of another, which a start refuses', async () => {
    const [other] = await inStore(home, "SELECT sealed FROM receipts_signing_keys WHERE role = 'certificate'");
    const swapped = (): Uint8Array => other?.['sealed'] as Uint8Array;
    await whileChanged('receipts_signing_keys', "role = 'receipt' AND status = 'active'", swapped, async () => {
      const { exit, flaws } = await checked();
      expect([exit, flaws.length]).to.deep.equal([1, 1]);
      expect(flaws[0]).to.match(/^signing key \S+: its sealed value belongs to another row/);
      expect(await starts()).to.equal(false);
    });
    const [subscription] = await inStore(home, 'SELECT sealed FROM subscriptions_subscriptions');
    await whileChanged(
      'subscriptions_key',
      'one = 1',
      () => subscription?.['sealed'] as Uint8Array,
      async () => {
        const { exit, flaws } = await checked();
        expect([exit, flaws.length]).to.deep.equal([1, 1]);
        expect(await starts()).to.equal(false);
      },
    );
  });

  it('are not judged by another master key, nor by one that is malformed: a start is refused', async () => {
    for (const key of ['cd'.repeat(32), 'short']) {
      const { exit, flaws, notes, sealed } = await checked({ ORB_MASTER_KEY: key });
      expect([exit, flaws]).to.deep.equal([0, []]);
      expect(sealed?.unchecked).to.match(
        /^ORB_MASTER_KEY: (the variable, or master.key in the state dir, is not the master key|must be 32 bytes)/,
      );
      expect(notes).to.deep.equal([`sealed values: not checked: ${sealed?.unchecked}`]);
      expect(await doctor({ ORB_MASTER_KEY: key })).to.deep.equal(['log: ok', 'sealed values: fault']);
    }
  });

  if (!onPostgres) {
    it('are said not to be checked where the master key is not', async () => {
      const path = join(stateDir(), 'master.key');
      const key = readFileSync(path);
      rmSync(path);
      try {
        const { exit, flaws, notes, sealed } = await checked();
        expect([exit, flaws]).to.deep.equal([0, []]);
        expect(sealed).to.deep.equal({ unchecked: 'the master key is missing', absent: true });
        expect(notes).to.deep.equal(['sealed values: not checked: the master key is missing']);
        expect(await doctor()).to.deep.equal(['log: ok', 'sealed values: skipped']);
        expect(await runCommand(shippedCommand('backup'), stateDir(), [folder()], more())).to.deep.include({
          exit: 0,
          notes,
        });
        expect((await checked({ ORB_MASTER_KEY: key.toString().trim() })).sealed).to.equal(undefined);
      } finally {
        writeFileSync(path, key, { mode: 0o600 });
      }
    });

    for (const withMasterKey of [true, false])
      it(`are checked by backup and restore ${withMasterKey ? 'with' : 'without'} the master key in the copy`, async () => {
        const [whole, damaged] = [folder(), folder()];
        const given = { ...more(), options: { withMasterKey } };
        expect(await runCommand(shippedCommand('backup'), stateDir(), [whole], given)).to.deep.include({
          exit: 0,
          notes: [],
        });
        await whileChanged('subscriptions_key', 'one = 1', flipped, async () => {
          const { exit, notes } = await runCommand(shippedCommand('backup'), stateDir(), [damaged], given);
          expect(exit).to.equal(1);
          expect(notes.join()).to.include('the key that signs callbacks: its sealed value does not open');
          const refused = await runCommand(shippedCommand('restore'), stateDir(), [damaged], given).then(
            () => '',
            (error: unknown) => String(error),
          );
          expect(refused).to.include('its log failed its check (exit 1); nothing was changed');
        });
        const options = { replace: true };
        expect(
          await runCommand(shippedCommand('restore'), stateDir(), [whole], { ...more(), options }),
        ).to.deep.include({ exit: 0, notes: [] });
        expect(await starts()).to.equal(true);
      });
  }
});
