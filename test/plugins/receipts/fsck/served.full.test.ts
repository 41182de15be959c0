import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { runCommand } from '../../../helpers/command.ts';
import { freshReceipts } from '../fresh.ts';
import { startReceipts, temporaryDir } from '../harness.ts';
import { activeKey } from '../key-changes.ts';
import { revoke, rotate } from '../signing-keys.ts';
import { verdictOf } from '../../../../plugins/operate/contract.ts';

interface Result {
  readonly flaws: readonly { readonly exit: number; readonly where: string; readonly what: string }[];
}

describe('what a start demands of a store, checked by orb log fsck', function () {
  this.timeout(60_000);
  const receipts = freshReceipts('describe');
  const sound = temporaryDir();
  const damagedDir = temporaryDir();

  before(async () => {
    await receipts.attestRuns(3);
    await rotate(receipts, 'receipt');
    await rotate(receipts, 'log');
    await receipts.attestRuns(3);
    await revoke(receipts, await activeKey(receipts, 'certificate'), 'stolen');
    await receipts.stop();
    cpSync(receipts.path('.'), sound.path, { recursive: true });
  });
  after(async () => {
    cpSync(sound.path, receipts.path('.'), { recursive: true });
    await receipts.start();
    sound.remove();
    damagedDir.remove();
  });
  beforeEach(() => {
    // New files: a thread that closes late must not write into those of the next case.
    for (const name of ['store.db', 'store.db-wal', 'store.db-shm']) rmSync(receipts.path(name), { force: true });
    cpSync(sound.path, receipts.path('.'), { recursive: true });
    rmSync(receipts.path('seen-checkpoints.json'), { force: true });
  });

  const fsck = async () => {
    const { exit, value } = await runCommand<Result>(fsckCommand, receipts.path('.'), []);
    return { exit, flaws: value.flaws.map(({ where, what }) => `${where}: ${what}`) };
  };
  /** Runs the check as `orb backup`, `restore`, `store move` and `doctor` do. */
  const checked = async (): Promise<number> => {
    let exit = -1;
    const run = async (call: CommandCall) => void ({ exit } = await verdictOf(call));
    await runCommand({ run }, receipts.path('.'));
    return exit;
  };
  const starts = async (): Promise<boolean> => {
    try {
      const started = await startReceipts(receipts.path('.'));
      await started.stop();
      return true;
    } catch {
      return false;
    }
  };

  it('is whole after rotations and a revocation, and starts', async () => {
    expect([await fsck(), await checked()]).to.deep.equal([{ exit: 0, flaws: [] }, 0]);
    expect(await starts()).to.equal(true);
  });

  const keys = 'receipts_signing_keys';
  const cases: readonly (readonly [name: string, edit: string, says: RegExp, refused: boolean])[] = [
    [
      'the size of the head',
      "UPDATE receipts_logs SET size = size - 1 WHERE shard = '1'",
      /^head: the row of \S+\/1 has a size or root/,
      true,
    ],
    [
      'the root of the head',
      "UPDATE receipts_logs SET root = CAST(zeroblob(32) AS BLOB) WHERE shard = '0'",
      /^head: the row of \S+\/0 has a size or root/,
      true,
    ],
    [
      'the stored size of the checkpoint',
      'UPDATE receipts_checkpoints SET size = size + 1 WHERE log = 2',
      /^checkpoint: is stored with the size \d+/,
      false,
    ],
    [
      'an entry beyond the checkpoint',
      `INSERT INTO receipts_entries (log, idx, entry)
       SELECT 2, (SELECT size FROM receipts_logs WHERE log = 2), entry FROM receipts_entries WHERE log = 2 LIMIT 1`,
      /^entry \d+: comes after the newest checkpoint/,
      true,
    ],
    [
      'the checkpoint of another log',
      'UPDATE receipts_checkpoints SET note = (SELECT note FROM receipts_checkpoints WHERE log = 1) WHERE log = 2',
      /^checkpoint: belongs to the log \S+\/0/,
      true,
    ],
    [
      'a log key that is missing',
      `DELETE FROM ${keys} WHERE role = 'log' AND origin LIKE '%/0'`,
      /^signing key \S+: signs the log \S+\/0, but the store has no log key/,
      true,
    ],
    [
      'a log key of another log',
      `UPDATE ${keys} SET origin = origin || '7' WHERE role = 'log' AND status = 'active'`,
      /^signing key \S+: its row differs from its log entry/,
      true,
    ],
    [
      'the role of a key',
      `UPDATE ${keys} SET role = 'certificate' WHERE role = 'receipt' AND status = 'active'`,
      /^signing key \S+: its role is certificate, but the role of the pinned key is receipt/,
      true,
    ],
    [
      'the public half of a retired key',
      `UPDATE ${keys} SET public_key = CAST(zeroblob(32) AS BLOB) WHERE role = 'receipt' AND status = 'retired'`,
      /^signing key \S+: its public key does not match its id/,
      false,
    ],
    [
      'a retired key that is gone',
      `DELETE FROM ${keys} WHERE role = 'receipt' AND status = 'retired'`,
      /^signing key \S+: a log entry published it, but it is missing from the store/,
      false,
    ],
    [
      'a retired key that is active again',
      `UPDATE ${keys} SET status = 'active' WHERE role = 'receipt'`,
      /^signing keys: several receipt keys are active; exactly one must be active/,
      true,
    ],
    [
      'no active receipt key',
      `UPDATE ${keys} SET status = 'retired' WHERE role = 'receipt'`,
      /^signing keys: no receipt key is active/,
      true,
    ],
    [
      'a revocation that is undone',
      `UPDATE ${keys} SET status = 'retired', revoked_origin = NULL, revoked_index = NULL WHERE status = 'revoked'`,
      /^signing key \S+: it is retired, but the pinned key is revoked/,
      false,
    ],
    [
      'a revocation from another position',
      `UPDATE ${keys} SET revoked_index = revoked_index + 1 WHERE status = 'revoked'`,
      /^signing key \S+: it is revoked from a position that differs from its log entry/,
      false,
    ],
    [
      'a revocation that nobody attested',
      `UPDATE ${keys} SET status = 'revoked', revoked_origin = 'x', revoked_index = 1
       WHERE role = 'receipt' AND status = 'retired'`,
      /^signing key \S+: it is revoked, but no log entry revoked it/,
      false,
    ],
    [
      'a key that nobody published',
      `INSERT INTO ${keys} (kid, role, public_key, sealed, status, created_at)
       SELECT (CASE WHEN substr(kid, 1, 1) = 'x' THEN 'y' ELSE 'x' END) || substr(kid, 2), role, public_key, sealed, 'retired', created_at FROM ${keys} WHERE role = 'receipt' LIMIT 1`,
      /^signing key [xy]\S+: no log entry published it/,
      false,
    ],
    [
      'a seed that is cut short',
      `UPDATE ${keys} SET sealed = CAST(substr(sealed, 1, 40) AS BLOB) WHERE role = 'receipt' AND status = 'active'`,
      /^signing key \S+: its sealed seed is truncated/,
      true,
    ],
    [
      'a score that is NULL',
      `UPDATE receipts_receipts SET trust_score = NULL WHERE kind = 'run' AND idx > 3 AND log = 1`,
      /^receipt rec_\S+: stored_row_matches/,
      false,
    ],
    [
      'a risk that is NULL',
      `UPDATE receipts_receipts SET risk_level = NULL WHERE kind = 'run' AND log = 2`,
      /^receipt rec_\S+: stored_row_matches/,
      false,
    ],
  ];
  for (const [name, edit, says, refused] of cases)
    it(`finds ${name}${refused ? ', which a start refuses' : ''}`, async () => {
      receipts.edit(edit);
      const { exit, flaws } = await fsck();
      // A row that is gone is a store that went back.
      expect(exit).to.equal(name.endsWith('is gone') ? 5 : 1);
      expect(
        flaws.some((flaw) => says.test(flaw)),
        flaws.join('\n'),
      ).to.equal(true);
      expect(await checked()).to.equal(exit);
      expect(await starts()).to.equal(!refused);
    });

  it('finds a copy of the checkpoint that a start refuses: no checkpoint, or one that nobody signed', async () => {
    const path = receipts.path('checkpoint');
    const note = readFileSync(path, 'utf8');
    writeFileSync(path, 'nothing');
    expect((await fsck()).flaws).to.deep.equal(['the file `checkpoint` of the state dir: is not a checkpoint']);
    expect(await starts()).to.equal(false);
    const [, shown = ''] = /\n(— \S+ )/.exec(note) ?? [];
    writeFileSync(path, note.replace(/— \S+ .*/, `${shown}${Buffer.alloc(68, 1).toString('base64')}`));
    expect((await fsck()).flaws).to.deep.equal([
      'the file `checkpoint` of the state dir: is not signed by the key of its log',
    ]);
    expect(await starts()).to.equal(false);
    copyFileSync(`${sound.path}/checkpoint`, path);
    expect((await fsck()).exit).to.equal(0);
  });
});
