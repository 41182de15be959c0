import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Operation, Reply } from '../../../../kernel/index.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import type { ReceiptDocument } from '../../../../plugins/receipts/contract.ts';
import { parseCheckpoint, parseNote } from '../../../../plugins/receipts/log/pure/note.ts';
import { runCommand } from '../../../helpers/command.ts';
import { until } from '../../../helpers/until.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';
import type { Fault } from './fault.ts';
import type { Receipt } from '../../../../plugins/runtime/contract.ts';

const faulty = fileURLToPath(new URL('./store.ts', import.meta.url));
const admin = { tenant: 'default', scopes: ['*'] };

describe('a disk that fails', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;

  before(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path, systemClock, faulty);
  });
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  const faultFile = () => join(dir.path, 'fault.json');
  // At once: the writer may be reading it for what it writes of its own.
  const fail = (fault: Fault): void => {
    writeFileSync(`${faultFile()}.new`, JSON.stringify(fault));
    renameSync(`${faultFile()}.new`, faultFile());
  };
  const mend = (): void => rmSync(faultFile(), { force: true });
  const size = async (): Promise<number> => {
    const { body } = (await receipts.call('/log/checkpoint', {})) as Reply;
    return Number(parseCheckpoint(parseNote(String(body))?.text ?? '')?.size);
  };
  const attest = async (count: number): Promise<{ made: Receipt[]; refused: { code?: string }[] }> => {
    const results = await Promise.allSettled(
      Array.from({ length: count }, (_, at) => receipts.attest(newRun(`o${at % 2}`))),
    );
    return {
      made: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
      refused: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as { code?: string }] : [])),
    };
  };
  const restart = async (): Promise<void> => {
    expect((await attest(1)).refused[0]).to.have.property('code', 'storage_unavailable');
    await receipts.stop();
    receipts = await startReceipts(dir.path, systemClock, faulty);
  };
  const isWhole = async (): Promise<void> => {
    const { exit, text } = await runCommand(fsckCommand, dir.path);
    expect(exit, text).to.equal(0);
  };

  const steps = [
    ['an entry is written', 'INSERT INTO receipts_entries'],
    ['a receipt is written', 'INSERT INTO receipts_receipts'],
    ['the entries are read back', 'SELECT entry FROM receipts_entries'],
    ['a tile is stored', 'INTO receipts_tiles'],
    ['the head is moved', 'UPDATE receipts_logs'],
    ['the checkpoint is stored', 'UPDATE receipts_checkpoints'],
    ['the batch is counted', 'UPDATE kernel_head'],
    ['the batch is committed', 'COMMIT'],
  ] as const;
  const codes = ['SQLITE_IOERR_WRITE', 'SQLITE_FULL'] as const;

  for (const [name, statement] of steps)
    for (const code of codes)
      for (const persisted of [false, true])
        for (const left of [1, 1000])
          it(`${left === 1 ? 'once' : 'lastingly'} when ${name} (${code}, ${persisted ? 'after it took effect' : 'without effect'}) loses and doubles nothing`, async () => {
            const before = await size();
            const count = statement.includes('tiles') ? 257 - (before % 256) : 3;
            fail({ statement, code, persisted, left });
            const { made, refused } = await attest(count);
            // A commit that took effect is found to have done so; any other lasting failure refuses.
            const holds = left === 1 || (statement === 'COMMIT' && persisted);
            if (holds) expect([made.length, refused]).to.deep.equal([count, []]);
            else for (const { code: told } of refused) expect(told).to.equal('storage_unavailable');
            if (!holds) expect(refused).to.have.length.greaterThan(0);
            if (existsSync(faultFile()))
              expect((JSON.parse(readFileSync(faultFile(), 'utf8')) as Fault).left).to.be.lessThan(left);
            mend();
            expect(await size()).to.equal(before + made.length);
            // When even the committed state could not be read, nothing more is written until a restart.
            if (statement.startsWith('SELECT') && left > 1) await restart();
            const again = await attest(2);
            expect([again.made.length, await size()]).to.deep.equal([2, before + made.length + 2]);
            for (const { receipt_id: id } of [...made.slice(0, 3), ...again.made]) {
              const document = await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin);
              expect((document as ReceiptDocument).signature_valid).to.equal(true);
            }
          }).timeout(60_000);

  it('leaves a log that is whole', () => isWhole()).timeout(60_000);

  it('and is full refuses with 503, and goes on when there is room again', async () => {
    const leaveRoom = (room: number): Promise<unknown> =>
      receipts.store.write([{ store: 'receipts', name: 'leaveRoom', args: { room } } satisfies Operation]);
    const before = await size();
    await leaveRoom(20);
    let made = 0;
    // One batch each: a large one may find no room where a smaller one after it still does.
    for (let full = false; !full;) {
      const one = await attest(60);
      full = one.refused.length > 0;
      made += one.made.length;
      for (const { code } of one.refused) expect(code).to.equal('storage_unavailable');
    }
    expect(receipts.health().health).to.equal('down');
    expect(await size()).to.equal(before + made);
    await leaveRoom(1_000_000);
    // Without a receipt in between: nobody has to risk a run first.
    await until(
      () => receipts.health(),
      ({ health }) => health === 'up',
    );
    expect(await size()).to.equal(before + made);
    const again = await attest(10);
    expect([again.made.length, receipts.health().health]).to.deep.equal([10, 'up']);
    expect(await size()).to.equal(before + made + 10);
    await isWhole();
  }).timeout(60_000);
});
