import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import type { FolderReport } from '../../../../plugins/receipts/verifier/archive/files.ts';
import { runCommand, type Said } from '../../../helpers/command.ts';
import { extracted } from '../export/extracted.ts';
import { freshReceipts } from '../fresh.ts';
import { activeKey } from '../key-changes.ts';
import { revoke } from '../signing-keys.ts';
import { verdictOf } from '../../../../plugins/operate/contract.ts';

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
    const run = async (call: CommandCall) => void ({ exit } = await verdictOf(call));
    await runCommand({ run }, receipts.path('.'));
    return exit;
  };

  it('counts them, finds no flaw, ends with 4, and remembers the checkpoint', async () => {
    const { text, ...found } = await fsck();
    expect(found).to.deep.equal({ exit: 4, flaws: [], revoked: runs - 1 });
    expect(text).to.contain(`OK; ${runs - 1} receipt(s) are not valid`);
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

  describe('in an export', () => {
    const verify = (folder: string, options: CommandCall['options'] = {}) =>
      runCommand<FolderReport>(verifyCommand, receipts.path('.'), [folder], { options });
    const results = ({ value }: Said<FolderReport>) => value.checks.map(({ name, result }) => `${name} ${result}`);
    const complete = ['orbiset_chain pass', 'completeness pass'];
    let folder: string;
    beforeEach(async () => {
      rmSync(receipts.path('seen-checkpoints.json'), { force: true });
      folder = await extracted(receipts, receipts.path('.'));
    });

    it('counts them, misses none, and ends with 4', async () => {
      const found = await verify(folder);
      const { receipts: all, rejected, revoked, verified } = found.value;
      expect([found.exit, found.value.overall, revoked, rejected]).to.deep.equal([4, 'REJECTED', runs - 1, []]);
      expect([verified, results(found)]).to.deep.equal([all - runs + 1, complete]);
      expect(found.text).to.contain(`${verified} of ${all} receipts verified, ${runs - 1} of a revoked key`);
    });

    it('verifies within that limit where they are allowed, and is remembered', async () => {
      const found = await verify(folder, { allowRevoked: true });
      expect([found.exit, found.value.overall, results(found)]).to.deep.equal([0, 'VERIFIED-WITH-LIMITS', complete]);
      expect(found.value.limits).to.deep.equal([
        `${runs - 1} receipt(s) are not valid, because their key was revoked at or before their position`,
      ]);
      expect(existsSync(receipts.path('seen-checkpoints.json'))).to.equal(true);
      const again = await verify(folder, { allowRevoked: true });
      expect(results(again)).to.deep.equal(['consistency_with_last_seen pass', ...complete]);
    });

    it('is checked by log fsck alike', async () => {
      const checked = async (options: CommandCall['options']) => {
        const { exit, value } = await runCommand<Result>(fsckCommand, receipts.path('.'), [folder], { options });
        return { exit, flaws: value.flaws, revoked: value.logs.map((log) => log.revoked) };
      };
      expect(await checked({})).to.deep.equal({ exit: 4, flaws: [], revoked: [runs - 1] });
      expect(await checked({ allowRevoked: true })).to.deep.equal({ exit: 0, flaws: [], revoked: [runs - 1] });
    });

    it('still misses one that was taken out, a revoked one too', async () => {
      const place = join(folder, 'receipts/0/000000000');
      for (const at of [first + 2, first + runs]) {
        const name = readdirSync(place).find((one) => one.startsWith(String(at).padStart(12, '0'))) ?? '';
        renameSync(join(place, name), join(folder, name));
        const found = await verify(folder, { allowRevoked: true });
        expect([found.exit, found.value.overall]).to.deep.equal([1, 'REJECTED']);
        expect(results(found)).to.include('completeness fail');
        renameSync(join(folder, name), join(place, name));
      }
    });

    it('still rejects a revoked one whose readable copy was changed, and one under the name of another', async () => {
      const place = join(folder, 'receipts/0/000000000');
      const [name = '', next = ''] = readdirSync(place)
        .sort()
        .slice(first + 2);
      const text = readFileSync(join(place, name), 'utf8');
      writeFileSync(join(place, name), text.replace('"mode":"live"', '"mode":"sandbox"'));
      const edited = await verify(folder, { allowRevoked: true });
      expect([edited.exit, edited.value.rejected.length]).to.deep.equal([4, 1]);
      writeFileSync(join(place, name), readFileSync(join(place, next)));
      writeFileSync(join(place, next), text);
      const swapped = await verify(folder, { allowRevoked: true });
      expect([swapped.exit, swapped.value.rejected.length]).to.deep.equal([1, 2]);
    });

    it('of a single receipt accepts nothing', async () => {
      const place = join(folder, 'receipts/0/000000000');
      const name = readdirSync(place).sort()[first + 2] ?? '';
      expect((await verify(join(place, name))).exit).to.equal(4);
      const allowed = await verify(join(place, name), { allowRevoked: true });
      expect([allowed.exit, allowed.notes.join()]).to.satisfy(
        ([exit, notes]: [number, string]) => exit === 3 && notes.includes('--allow-revoked is only for folders'),
      );
    });
  });
});
