import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { builtin } from '../../../../kernel/builtin.ts';
import { keptBy, verified } from '../../../../kernel/cli/backup.ts';
import type { CommandCall } from '../../../../kernel/index.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { runCommand } from '../../../helpers/command.ts';
import { freshReceipts } from '../fresh.ts';
import { activeKey } from '../key-changes.ts';
import { revoke } from '../signing-keys.ts';

interface Result {
  readonly logs: readonly { readonly revoked: number }[];
  readonly flaws: readonly { readonly exit: number; readonly where: string }[];
}

describe('the check of a log with receipts of a revoked key', function () {
  this.timeout(60_000);
  const receipts = freshReceipts('describe');
  const runs = 6;
  let first = 0;

  before(async () => {
    const [run] = await receipts.attestRuns(runs);
    const { proof } = await receipts.read(run?.receipt_id ?? '');
    first = proof?.index ?? 0;
    // The thief had the key from the second run on.
    const from = { origin: proof?.origin, index: first + 1 };
    await revoke(receipts, await activeKey(receipts, 'receipt'), 'stolen', from);
    await receipts.attestRuns(2);
  });

  const fsck = async (options: CommandCall['options'] = {}) => {
    const { exit, text, value } = await runCommand<Result>(fsckCommand, receipts.path('.'), [], { options });
    return { exit, text, flaws: value.flaws.map((flaw) => flaw.exit), revoked: value.logs[0]?.revoked };
  };
  /** Runs the check as `orb backup`, `restore`, `store move` and `doctor` do. */
  const checked = async (): Promise<number> => {
    let exit = -1;
    const run = async (call: CommandCall) => (exit = await verified(keptBy(builtin.plugins), call));
    await runCommand({ run }, receipts.path('.'));
    return exit;
  };

  it('counts them, finds no flaw, ends with 4, and remembers the checkpoint', async () => {
    const { text, ...found } = await fsck();
    expect(found).to.deep.equal({ exit: 4, flaws: [], revoked: runs - 1 });
    expect(text).to.contain(`OK; ${runs - 1} receipt(s) count for nothing`);
    expect(existsSync(receipts.path('seen-checkpoints.json'))).to.equal(true);
    rmSync(receipts.path('seen-checkpoints.json'));
  });

  it('ends with 0 where they are allowed, so that backups, restores and moves pass', async () => {
    expect((await fsck({ allowRevoked: true })).exit).to.equal(0);
    expect(await checked()).to.equal(0);
  });

  const edits = [
    ['a revoked receipt whose row was changed', 4, 1, 'trust_score = trust_score + 1'],
    ['a revoked receipt whose signature is another', 1, 2, 'signature = CAST(zeroblob(64) AS BLOB)'],
  ] as const;
  for (const [name, expected, at, edit] of edits)
    it(`still finds ${name}`, async () => {
      const place = `log = 1 AND idx = ${first + at}`;
      receipts.edit(`CREATE TABLE kept AS SELECT trust_score, signature FROM receipts_receipts WHERE ${place}`);
      receipts.edit(`UPDATE receipts_receipts SET ${edit} WHERE ${place}`);
      const { exit, flaws, revoked } = await fsck({ allowRevoked: true });
      expect([exit, flaws.length, revoked]).to.deep.equal([expected, 1, runs - 2]);
      expect(await checked()).to.equal(expected);
      receipts.edit(`UPDATE receipts_receipts SET (trust_score, signature) = (SELECT * FROM kept) WHERE ${place}`);
      receipts.edit('DROP TABLE kept');
    });

  it('ends with 4 for receipts of a key that is not pinned', async () => {
    const { keys } = JSON.parse(readFileSync(receipts.path('jwks.json'), 'utf8')) as {
      keys: { role: string; status: string }[];
    };
    const path = receipts.path('others.json');
    writeFileSync(
      path,
      JSON.stringify({ keys: keys.filter((key) => key.role !== 'receipt' || key.status !== 'active') }),
    );
    const { exit, flaws } = await fsck({ keys: path, allowRevoked: true });
    expect([exit, new Set(flaws)]).to.deep.equal([4, new Set([4])]);
  });
});
