import { cpSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { getCommand } from '../../../../plugins/receipts/commands/get.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import type { FolderReport } from '../../../../plugins/receipts/verifier/archive/files.ts';
import { newestSeen, readSeen } from '../../../../plugins/receipts/verifier/trust-store/seen-file.ts';
import type { Report } from '../../../../plugins/receipts/verifier/report.ts';
import { clientOf } from '../client.ts';
import { extracted } from '../export/extracted.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';
import { runCommand } from '../../../helpers/command.ts';

describe('a log that was forked, to an auditor who remembers', function () {
  this.timeout(60_000);
  let dirs: ReturnType<typeof temporaryDir>[];
  let honest: Harness;
  let forked: Harness;
  let auditor: string;

  const newDir = (): string => {
    const dir = temporaryDir();
    dirs.push(dir);
    return dir.path;
  };
  const run = async (receipts: Harness, count = 1): Promise<string> => {
    const made = await Promise.all(Array.from({ length: count }, () => receipts.attest(newRun())));
    return made.at(-1)?.receipt_id ?? '';
  };
  beforeEach(async () => {
    dirs = [];
    const [home, copy] = [newDir(), newDir()];
    const before = await startReceipts(home);
    await run(before, 5);
    await before.stop();
    cpSync(home, copy, { recursive: true });
    [honest, forked] = [await startReceipts(home), await startReceipts(copy)];
    await run(honest, 3);
    await run(forked, 6);
    auditor = newDir();
    copyFileSync(join(home, 'jwks.json'), join(auditor, 'jwks.json'));
  });
  afterEach(async () => {
    await honest.stop();
    await forked.stop();
    for (const dir of dirs) dir.remove();
  });

  /** Saves a receipt as the API answers it. */
  const saved = async (receipts: Harness, id: string): Promise<string> => {
    const as = { tenant: 'default', scopes: ['*'] };
    const file = join(auditor, `${id}.json`);
    writeFileSync(file, JSON.stringify(await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, as)));
    return file;
  };
  const verify = async (path: string) => {
    const { exit, value } = await runCommand<Report & FolderReport>(verifyCommand, auditor, [path]);
    return [value.overall, exit];
  };
  const remembered = async (): Promise<bigint | undefined> => {
    const seen = await readSeen(auditor);
    return newestSeen(seen, [...seen.keys()][0] ?? '')?.size;
  };

  it('cannot put its tree in the place of the remembered one, by no receipt of a larger tree', async () => {
    const [file, other] = [await saved(honest, await run(honest)), await saved(forked, await run(forked))];
    expect(await verify(file)).to.deep.equal(['VERIFIED', 0]);
    const size = await remembered();
    expect(await verify(other)).to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
    expect(await remembered()).to.equal(size);
    expect(await verify(other), 'a second time').to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
    expect(await verify(file)).to.deep.equal(['VERIFIED', 0]);
  });

  it('is found by the folder of all its receipts: they yield another root at the remembered size', async () => {
    expect(await verify(await extracted(honest, auditor))).to.deep.equal(['VERIFIED', 0]);
    const size = await remembered();
    expect(await verify(await extracted(forked, auditor))).to.deep.equal(['REJECTED', 5]);
    expect(await remembered()).to.equal(size);
  });

  it('is told from one that has only grown, whose folder is verified again and remembered', async () => {
    expect(await verify(await extracted(honest, auditor))).to.deep.equal(['VERIFIED', 0]);
    const size = (await remembered()) ?? 0n;
    await run(honest, 3);
    const grown = await extracted(honest, auditor);
    expect(await verify(grown)).to.deep.equal(['VERIFIED', 0]);
    expect(await remembered()).to.equal(size + 3n);
    expect(await verify(grown)).to.deep.equal(['VERIFIED', 0]);
  });

  it('is not excluded by a folder that holds a part of the log: that is a limit, and nothing is remembered', async () => {
    expect(await verify(await extracted(honest, auditor))).to.deep.equal(['VERIFIED', 0]);
    const size = await remembered();
    await run(honest, 3);
    const part = await extracted(honest, auditor, { status: 'completed' });
    const { exit, value } = await runCommand<FolderReport>(verifyCommand, auditor, [part]);
    expect([exit, value.overall]).to.deep.equal([0, 'VERIFIED-WITH-LIMITS']);
    expect(value.limits.join()).to.include('consistency_with_last_seen: not checked');
    expect(await remembered()).to.equal(size);
  });

  it('is found by the proof that is fetched with a receipt of it', async () => {
    expect(await verify(await saved(honest, await run(honest)))).to.deep.equal(['VERIFIED', 0]);
    const { text } = await runCommand(getCommand, auditor, [await run(forked)], { client: clientOf(forked) });
    const file = join(auditor, 'forked.json');
    writeFileSync(file, text);
    expect(await verify(file)).to.deep.equal(['REJECTED', 5]);
  });

  it('is not remembered by log fsck either', async () => {
    expect(await verify(await saved(honest, await run(honest)))).to.deep.equal(['VERIFIED', 0]);
    const before = readFileSync(join(auditor, 'seen-checkpoints.json'), 'utf8');
    const folder = await extracted(forked, auditor);
    expect((await runCommand(fsckCommand, auditor, [folder])).exit).to.equal(5);
    expect(readFileSync(join(auditor, 'seen-checkpoints.json'), 'utf8')).to.equal(before);
  });
});
