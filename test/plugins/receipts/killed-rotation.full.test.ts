import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import type { KeySet } from '../../../plugins/receipts/format/jwk.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { expectSound, killedAt } from './killed/until.ts';
import { newRun, startReceipts, temporaryDir } from './harness.ts';
import { logOf } from './log-at-once.ts';
import { rotate } from './signing-keys.ts';

const program = fileURLToPath(new URL('./killed/rotation.ts', import.meta.url));
const admin = { tenant: 'default', scopes: ['*'] };

describe('a process that is killed (SIGKILL) while it changes keys under load', () => {
  let dir: ReturnType<typeof temporaryDir>;
  beforeEach(() => {
    dir = temporaryDir();
  });
  afterEach(() => dir.remove());

  const points = [
    ['a receipt key is made', 'INSERT INTO receipts_signing_keys', 0],
    ['a log key is made', 'INSERT INTO receipts_signing_keys', 1],
    ['the key after a revoked one is made', 'INSERT INTO receipts_signing_keys', 3],
    ['the old receipt key is retired', "SET status = 'retired'", 0],
    ['a key has its place', 'SET since_origin', 1],
    ['a key is revoked', "SET status = 'revoked'", 0],
    ['a revoked key has its position', "SET status = 'revoked'", 1],
    ['the old log is frozen', "SET status = 'frozen'", 0],
    ['the new log is made', 'INSERT INTO receipts_logs', 0],
    ['a second log is made', 'INSERT INTO receipts_logs', 1],
    ['answers leave, after a commit, at some point', 'committed', 6],
    ['answers leave, after a commit, at a later one', 'committed', 11],
  ] as const;
  // Each is a process of its own; all of them when RECEIPTS_SOAK is set.
  const soak = process.env['RECEIPTS_SOAK'] !== undefined;

  for (const [name, point, after] of points.filter((_, at) => soak || at % 4 === 1))
    it(`right before ${name}, keeps one whole set of keys and one log, loses nothing, and goes on`, async () => {
      const acknowledged = await killedAt(program, dir.path, point, after);
      const receipts = await startReceipts(dir.path);
      const mirror = readFileSync(join(dir.path, 'jwks.json'), 'utf8');
      const { keys } = JSON.parse(mirror) as KeySet;
      for (const role of ['receipt', 'log', 'certificate'])
        expect(keys.filter((key) => key.role === role && key.status === 'active')).to.have.length(1);
      const trust = readTrust(mirror) ?? { keys: [] };
      const log = logOf(receipts);
      const known = new Set<string>();
      const read = new Map<string, number>();
      for (let page = log.entriesAfter(read, 500); page.length > 0; page = log.entriesAfter(read, 500))
        for (const { index, origin, receipt_id: id } of page) {
          read.set(origin, index + 1);
          known.add(id);
          expect(await log.verifies(id), id).to.equal(true);
        }
      for (const id of acknowledged) {
        expect(known.has(id)).to.equal(true);
        const document = (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as ReceiptDocument;
        expect(verify(JSON.stringify(document), trust).overall).to.equal('VERIFIED');
      }
      await receipts.attest(newRun());
      await rotate(receipts, 'receipt');
      await rotate(receipts, 'log');
      expect((await receipts.attest(newRun())).signature_valid).to.equal(true);
      await receipts.stop();
      await expectSound(dir.path);
    }).timeout(120_000);
});
