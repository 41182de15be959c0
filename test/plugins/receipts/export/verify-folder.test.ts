import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifyFolder } from '../../../../plugins/receipts/export/verify-folder.ts';
import { signedText, vectors, vectorTrust } from '../sample.ts';

describe('a folder whose receipts fail in several ways', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const sound = signedText(vectors.run_receipt.payload);
  const { envelope } = JSON.parse(sound) as { envelope: { signatures: { sig: string }[] } };
  const artefacts = {
    // Without its proof; of another key; of a signature that is not its own; of no receipt at all.
    3: JSON.stringify({ envelope }),
    4: sound.replaceAll(vectors.keys.receipt_kid_rfc7638, 'A'.repeat(43)),
    1: JSON.stringify({
      ...(JSON.parse(sound) as object),
      envelope: {
        ...envelope,
        signatures: [{ ...envelope.signatures[0], sig: Buffer.alloc(64, 1).toString('base64') }],
      },
    }),
    2: '[]',
  } as const;
  const verified = (...texts: readonly string[]) => {
    for (const [at, text] of texts.entries()) writeFileSync(join(folder, `${String(at).padStart(4, '0')}.json`), text);
    return verifyFolder(folder, vectorTrust);
  };

  it('reports how many of its receipts are verified, whatever they are', async () => {
    await verified(sound, artefacts[2], artefacts[1]);
    writeFileSync(join(folder, 'notes.txt'), '');
    const seen: (readonly [number, number])[] = [];
    await verifyFolder(folder, vectorTrust, { progress: (done, of) => void seen.push([done, of]) });
    expect(seen).to.deep.equal([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  for (const exit of [1, 2, 3, 4] as const)
    it(`has the exit ${exit} when one of them has it, beside one that verifies`, async () => {
      const report = await verified(sound, artefacts[exit]);
      expect(report).to.deep.include({ overall: 'REJECTED', exit, receipts: 2, verified: 1 });
      expect(report.rejected.map((one) => [one.path, one.exit])).to.deep.equal([['0001.json', exit]]);
    });

  for (const [exit, exits] of [
    [2, [1, 2, 3, 4]],
    [4, [3, 1, 4]],
    [1, [3, 1]],
  ] as const)
    it(`with the exits ${exits.join(', ')} has the gravest: ${exit}`, async () => {
      expect((await verified(...exits.map((one) => artefacts[one]))).exit).to.equal(exit);
    });

  it('that holds none has nothing to verify: exit 3', async () => {
    expect(await verified()).to.deep.include({ overall: 'NOTHING-TO-VERIFY', exit: 3, receipts: 0, rejected: [] });
  });

  it('names the first hundred of them, says of each what failed, and counts all', async () => {
    const report = await verified(...Array.from({ length: 102 }, () => artefacts[1]));
    expect([report.receipts, report.verified, report.rejected.length]).to.deep.equal([102, 0, 100]);
    expect(report.rejected.at(-1)?.path).to.equal('0099.json');
    expect(report.rejected[0]?.why)
      .to.match(/^envelope: /)
      .and.not.include('not_checked');
  });
});
