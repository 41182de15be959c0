import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Reply } from '../../../kernel/index.ts';
import { readCheckpointFile } from '../../../plugins/receipts/log/stored/checkpoint-file.ts';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import { parseCheckpoint, parseNote } from '../../../plugins/receipts/log/pure/note.ts';
import { expectSound, killedAt } from './killed/until.ts';
import { newRun, startReceipts, temporaryDir } from './harness.ts';

const program = fileURLToPath(new URL('./killed/process.ts', import.meta.url));
const sizeOf = (note: unknown) => parseCheckpoint(parseNote(String(note))?.text ?? '')?.size ?? 0n;

describe('a process that is killed (SIGKILL) while it commits', () => {
  let dir: ReturnType<typeof temporaryDir>;
  beforeEach(() => {
    dir = temporaryDir();
  });
  afterEach(() => dir.remove());

  const points = [
    ['an entry is written', 'INSERT INTO receipts_entries', 3],
    ['a receipt is written', 'INSERT INTO receipts_receipts', 100],
    ['the entries are read back', 'SELECT entry FROM receipts_entries', 2],
    ['a tile is stored', 'INSERT INTO receipts_tiles', 0],
    ['a tile above is stored', 'INSERT INTO receipts_tiles', 1],
    ['the head is moved', 'UPDATE receipts_logs', 3],
    ['the checkpoint is stored', 'UPDATE receipts_checkpoints', 1],
    ['the answers leave, after the commit', 'committed', 2],
  ] as const;
  const soak = process.env['RECEIPTS_SOAK'] !== undefined;
  // Each of them starts a process.
  for (const [name, point, after] of points.filter((_, at) => soak || at % 2 === 0))
    it(`right before ${name}, loses nothing it had answered, gives no index twice, and goes on`, async () => {
      const acknowledged = await killedAt(program, dir.path, point, after);
      const copied = sizeOf(readCheckpointFile(dir.path));
      const receipts = await startReceipts(dir.path);
      const size = async () => sizeOf(((await receipts.call('/log/checkpoint', {})) as Reply).body);
      const before = await size();
      expect(before >= copied && before >= BigInt(acknowledged.length + 3)).to.equal(true);
      const admin = { tenant: 'default', scopes: ['*'] };
      for (const id of acknowledged) {
        const document = (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as ReceiptDocument;
        expect(document.signature_valid).to.equal(true);
      }
      await receipts.attest(newRun());
      expect(await size()).to.equal(before + 1n);
      await receipts.stop();
      await expectSound(dir.path);
    }).timeout(60_000);
});
