import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { verify } from '../../../../plugins/receipts/verifier/verify.ts';
import type { ReceiptDocument } from '../../../../plugins/receipts/contract.ts';
import { admin, freshReceipts } from '../fresh.ts';
import { activeKey } from '../key-changes.ts';
import { revoke, rotate } from '../signing-keys.ts';
import { readTrust, type Trust } from '../../../../plugins/receipts/verifier/trust.ts';
import { shippedFacts } from '../../../helpers/command.ts';
import { edited, meaningOf, mutants, pick, seed, seeded, type Random } from './forge.ts';

interface Honest {
  readonly document: ReceiptDocument;
  readonly text: string;
  /** A .tlog-proof file of it, of the newest tree. */
  readonly file: string;
  readonly revoked: boolean;
}

describe('forged receipts, with second proofs and a revoked key', function () {
  this.timeout(600_000);
  const receipts = freshReceipts('describe');
  const all: Honest[] = [];
  let trust: Trust;

  before(async () => {
    const early = await receipts.attestRuns(4);
    const documents = [...(await Promise.all(early.map(({ receipt_id: id }) => receipts.read(id))))];
    const kid = await activeKey(receipts, 'receipt');
    await rotate(receipts, 'log');
    const late = await receipts.attestRuns(6, 'other');
    const last = await receipts.read(late[2]?.receipt_id ?? '');
    await revoke(receipts, kid, 'stolen', { origin: last.proof?.origin, index: last.proof?.index });
    const after = await receipts.attestRuns(4);
    for (const { receipt_id: id } of [...late, ...after]) documents.push(await receipts.read(id));
    trust = { ...readTrust(readFileSync(receipts.path('jwks.json'), 'utf8')), facts: shippedFacts } as Trust;
    for (const document of documents) {
      const { receipt_id } = document;
      const { body } = (await receipts.call('/receipts/{receipt_id}', { receipt_id }, admin, {
        format: 'tlog-proof',
      })) as { body: string };
      const { exit } = verify(JSON.stringify(document), trust, { verifySignature });
      all.push({ document, text: JSON.stringify(document), file: body, revoked: exit === 4 });
    }
  });

  it('are made of honest ones, which verify with each proof and with both', () => {
    expect(all.filter(({ revoked }) => revoked)).to.have.length(4);
    for (const { document, file, revoked, text } of all) {
      const bare = JSON.stringify({ envelope: document.envelope });
      for (const [artefact, proof] of [
        [text, undefined],
        [text, file],
        [bare, file],
      ] as const) {
        const report = verify(artefact, trust, { verifySignature, ...(proof === undefined ? {} : { proof }) });
        expect(report.overall, text).to.equal(revoked ? 'REJECTED' : 'VERIFIED');
      }
    }
  });

  /** Puts parts of one receipt into another, or changes one of its parts. */
  const forged = (one: Honest, random: Random): { readonly text: string; readonly file?: string } => {
    const other = pick(all, random);
    const { proof } = one.document;
    const rest = one.document as unknown as Record<string, unknown>;
    const member = pick(Object.keys(other.document), random);
    const part = pick(['origin', 'index', 'tree_size', 'hashes', 'leaf', 'checkpoint'] as const, random);
    const moved = { ...proof, [part]: other.document.proof?.[part] };
    const shifted = {
      ...proof,
      index: (proof?.index ?? 0) + random(5) - 2,
      tree_size: (proof?.tree_size ?? 0) + random(3) - 1,
    };
    const json = (change: object): string => JSON.stringify({ ...rest, ...change });
    return pick<() => { readonly text: string; readonly file?: string }>(
      [
        () => ({ text: edited(one.text, random) }),
        () => ({ text: edited(one.text, random), file: one.file }),
        () => ({ text: one.text, file: edited(one.file, random) }),
        () => ({ text: one.text, file: other.file }),
        () => ({ text: json({ [member]: (other.document as unknown as Record<string, unknown>)[member] }) }),
        () => ({ text: json({ proof: moved }) }),
        () => ({ text: json({ proof: moved }), file: one.file }),
        () => ({ text: json({ proof: shifted }), file: one.file }),
        () => ({ text: json({ proof: other.document.proof }), file: one.file }),
        () => ({ text: json({ envelope: other.document.envelope }), file: other.file }),
        () => ({ text: JSON.stringify({ envelope: one.document.envelope }), file: other.file }),
        () => ({ text: JSON.stringify({ ...other.document, envelope: one.document.envelope, proof }), file: one.file }),
      ],
      random,
    )();
  };

  const count = mutants(0.6, 300);
  it(`are never VERIFIED: ${count} mutants`, () => {
    const random = seeded(seed);
    const meanings = new Set(
      all.flatMap(({ document, text }) => [text, JSON.stringify({ envelope: document.envelope })]).map(meaningOf),
    );
    const files = new Set(all.map(({ file }) => file));
    for (let at = 0; at < count; at++) {
      const one = pick(all, random);
      const { file, text } = forged(one, random);
      const report = verify(text, trust, { verifySignature, ...(file === undefined ? {} : { proof: file }) });
      if (report.exit !== 0) continue;
      const finding = `seed ${seed}, mutant ${at}: ${text}\n${file ?? ''}`;
      expect(meanings.has(meaningOf(text)), finding).to.equal(true);
      const owner = all.find(({ document }) => document.receipt_id === report.values?.receipt_id);
      expect(owner?.revoked, finding).to.equal(false);
      // A line that is unknown may be added to a note; all else of the file is its own.
      if (file !== undefined && !files.has(file))
        expect(file.split('\n\n').slice(0, 2).join('\n\n'), finding).to.equal(
          owner?.file.split('\n\n').slice(0, 2).join('\n\n'),
        );
    }
  });
});
