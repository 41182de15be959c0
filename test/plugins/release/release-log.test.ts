import { appendFileSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseProof } from '../../../plugins/receipts/log/pure/proof-file.ts';
import { readSeen } from '../../../plugins/receipts/verifier/trust-store/seen-file.ts';
import { releaseLog } from '../../../plugins/release/statement.ts';
import { artefacts, MadeRelease } from './made-release.ts';

const failedCheck = 'consistency_with_last_seen';

describe('the release log', () => {
  let made: MadeRelease;
  beforeEach(async () => {
    made = new MadeRelease();
    await made.build('1.0.0');
  });
  afterEach(() => made.remove());

  const verify = (version: string, log?: string) =>
    made.verify([made.folder(version)], log === undefined ? {} : { log });
  // The folder next to that of a release is used when none is named.
  const without = async (version: string) => {
    const log = join(made.dir, 'dist/log');
    renameSync(log, `${log}.away`);
    const said = await verify(version);
    renameSync(`${log}.away`, log);
    return said;
  };
  const seenSize = async (): Promise<bigint | undefined> =>
    (await readSeen(made.state)).get(releaseLog)?.trees.at(-1)?.size;

  it('remembers the newest head, and follows the log as it grows', async () => {
    expect((await verify('1.0.0')).exit).to.equal(0);
    expect(await seenSize()).to.equal(1n);
    await made.build('1.1.0');
    await made.build('1.2.0');
    for (const version of ['1.1.0', '1.2.0', '1.0.0']) {
      const { exit, text } = await verify(version);
      expect([exit, text.split('\n').at(-1)], version).to.deep.equal([0, 'VERIFIED']);
    }
    expect(await seenSize()).to.equal(3n);
  });

  it('refuses an older head than one seen before, in the proof and in the files of the log', async () => {
    const older = made.copyLog('older');
    await made.build('1.1.0');
    expect((await verify('1.1.0')).exit).to.equal(0);
    for (const { exit, value } of [await without('1.0.0'), await verify('1.0.0', older)]) {
      expect(exit).to.equal(5);
      expect(value.checks.filter(({ result }) => result === 'fail').map(({ name }) => name)).to.deep.equal([
        failedCheck,
      ]);
    }
    expect(await seenSize()).to.equal(2n);
  });

  it('verifies with limits, and remembers nothing, when no file proves that the log only grew', async () => {
    await verify('1.0.0');
    await made.build('1.1.0');
    const { exit, value } = await without('1.1.0');
    expect([exit, value.overall, value.limits.length]).to.deep.equal([0, 'VERIFIED-WITH-LIMITS', 1]);
    expect(await seenSize()).to.equal(1n);
  });

  it('refuses a log of the same key with another history', async () => {
    await made.build('1.1.0');
    expect((await verify('1.1.0')).exit).to.equal(0);
    rmSync(join(made.dir, 'dist/log'), { recursive: true });
    await made.build('1.0.0', 'owner', { ...artefacts, NOTICE: 'other' as never });
    await made.build('1.1.0', 'owner', { ...artefacts, NOTICE: 'other' as never });
    for (const version of ['1.0.0', '1.1.0']) expect((await verify(version)).exit, version).to.equal(5);
    await made.build('1.2.0');
    expect((await verify('1.2.0')).exit).to.equal(5);
  });

  it('refuses a folder that holds no log', async () => {
    const { exit, value } = await verify('1.0.0', made.dir);
    expect([exit, value.hint]).to.deep.equal([3, `${made.dir} holds no release log`]);
  });

  it('refuses files of a log that were changed, or that another key signed', async () => {
    const log = made.copyLog('changed');
    appendFileSync(join(log, 'tile/entries/000.p/1'), 'x');
    expect((await verify('1.0.0', log)).exit).to.equal(5);
    rmSync(join(log, 'tile'), { recursive: true });
    expect((await verify('1.0.0', log)).exit).to.equal(5);
    const other = new MadeRelease();
    try {
      await other.build('1.0.0', 'stranger');
      expect((await verify('1.0.0', join(other.dir, 'dist/log'))).exit).to.equal(1);
    } finally {
      other.remove();
    }
  });

  it('enters the same statement once', async () => {
    const proof = made.text('1.0.0', 'release.tlog-proof');
    await made.build('1.1.0');
    await made.build('1.0.0');
    expect(readFileSync(join(made.dir, 'dist/log/checkpoint'), 'utf8').split('\n')[1]).to.equal('2');
    expect([proof, made.text('1.0.0', 'release.tlog-proof')].map((text) => parseProof(text)?.index)).to.deep.equal([
      0n,
      0n,
    ]);
    expect((await verify('1.0.0')).exit).to.equal(0);
  });
});
