import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import type { CertificateSigner } from '../../../plugins/receipts/contract.ts';
import { verifySignature } from '../../../plugins/receipts/format/ed25519.ts';
import { thumbprint, type KeySet } from '../../../plugins/receipts/format/jwk.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from './fresh.ts';
import { newRun, openReceiptsStore } from './harness.ts';
import { revoke, rotate } from './signing-keys.ts';

describe('the certificate key', () => {
  const receipts = freshReceipts();

  const signer = () => receipts.services['certificateSigner'] as CertificateSigner;
  const message = new TextEncoder().encode('a certificate');
  const mirrored = () => (JSON.parse(readFileSync(receipts.path('jwks.json'), 'utf8')) as KeySet).keys;

  it('is made at the first start, is attested, and is published with its role', async () => {
    const [key] = signer().keys();
    expect(signer().keys()).to.have.length(1);
    expect(key).to.include({ status: 'active', kid: thumbprint(key?.public_key ?? new Uint8Array()) });
    const published = mirrored().filter(({ role }) => role === 'certificate');
    expect(published.map(({ kid }) => kid)).to.deep.equal([key?.kid]);
    const [row] = receipts.rows<{ receipt_id: string; origin: string }>(
      "SELECT receipt_id, origin, idx FROM receipts_receipts WHERE kind = 'key' AND idx = ?",
      key?.since.index,
    );
    expect(row?.origin).to.equal(key?.since.origin);
    const document = await receipts.read(row?.receipt_id ?? '');
    const { predicate } = document.statement as OtherStatement;
    expect(predicate['kid']).to.equal(key?.kid);
    expect(predicate.facts).to.include({ role: 'certificate', change: 'created' });
    expect(verify(JSON.stringify(document), receipts.trust()).overall).to.equal('VERIFIED');
  });

  it('signs in the writer, under its kid, what its public half verifies, and takes no entry of the log for it', async () => {
    const signed = await Promise.all(Array.from({ length: 5 }, () => signer().sign(message)));
    const [key] = signer().keys();
    for (const { kid, signature } of signed) {
      expect(kid).to.equal(key?.kid);
      expect(verifySignature(key?.public_key ?? new Uint8Array(), message, signature)).to.equal(true);
    }
    const { origin, index } = signer().keys()[0]?.since ?? { origin: '', index: -1 };
    expect(origin.endsWith('/0') && index === 2).to.equal(true);
  });

  it('signs no receipt that a verifier would accept', async () => {
    const { receipt_id: id } = await receipts.attest(newRun());
    const document = await receipts.read(id);
    const keys = mirrored().map((key) => (key.role === 'receipt' ? { ...key, role: 'certificate' } : key));
    expect(verify(JSON.stringify(document), readTrust(JSON.stringify({ keys })) ?? { keys: [] }).exit).to.equal(4);
  });

  it('is added, with its entry, to a state dir that was made before there was one', async () => {
    await receipts.attest(newRun());
    await receipts.stop();
    // As an older version left it: statements whole; without the key, its columns and its migration. Its entry stays.
    const whole = receipts.stored('').map(({ payload, receipt_id }) => {
      const hex = Buffer.from(payload).toString('hex');
      return `UPDATE receipts_receipts SET payload = x'${hex}' WHERE receipt_id = '${receipt_id}';`;
    });
    receipts.edit(`${whole.join('')} ALTER TABLE receipts_receipts DROP COLUMN shape; DROP TABLE receipts_shapes;
      DELETE FROM receipts_signing_keys WHERE role = 'certificate'; DROP INDEX receipts_place;
      ALTER TABLE receipts_signing_keys DROP COLUMN since_origin; ALTER TABLE receipts_signing_keys DROP COLUMN since_index;
      ALTER TABLE receipts_signing_keys DROP COLUMN node; ALTER TABLE receipts_signing_keys DROP COLUMN stands;
      DELETE FROM kernel_migrations WHERE store = 'receipts' AND number > 3;
      DROP TABLE receipts_audit; DROP TABLE receipts_failing; DROP TABLE receipts_marks; DROP INDEX receipts_unfinished; DROP INDEX receipts_others;
      DROP INDEX receipts_other_kinds; DROP INDEX receipts_other_places; ALTER TABLE receipts_logs DROP COLUMN node;
      ALTER TABLE receipts_logs DROP COLUMN incarnation; ALTER TABLE receipts_logs DROP COLUMN follows`);
    rmSync(receipts.path('jwks.json'));
    await receipts.start();
    const [key] = signer().keys();
    expect(key?.since.index).to.equal(4);
    expect(existsSync(receipts.path('jwks.json'))).to.equal(true);
    const keys = (await receipts.call('/signing-keys', {})) as { keys: { role: string; since: { index: number } }[] };
    expect(keys.keys.map(({ role, since }) => `${role} ${since.index}`)).to.deep.equal([
      'receipt 0',
      'log 1',
      'certificate 4',
    ]);
    expect((await signer().sign(message)).kid).to.equal(key?.kid);
  });

  it('keeps its seed sealed, and starts with no seed but its own', async () => {
    await receipts.stop();
    receipts.edit(
      `UPDATE receipts_signing_keys SET sealed = (SELECT sealed FROM receipts_signing_keys WHERE role = 'receipt') WHERE role = 'certificate'`,
    );
    const error = await openReceiptsStore(receipts.stateDir).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('does not match its public key');
  });

  it('is rotated and revoked by entries of the log; the keys before it stay published with their fate', async () => {
    const [first] = signer().keys();
    const rotated = await rotate(receipts, 'certificate');
    expect(rotated).to.include({ role: 'certificate', previous_kid: first?.kid });
    expect((await signer().sign(message)).kid).to.equal(rotated.kid);
    const revoked = await revoke(receipts, rotated.kid, 'the seed was shown');
    const keys = signer().keys();
    expect(keys.map(({ status }) => status)).to.deep.equal(['retired', 'revoked', 'active']);
    expect(keys[1]?.revoked_at).to.deep.equal(revoked.from);
    expect((await signer().sign(message)).kid)
      .to.equal(keys[2]?.kid)
      .and.to.equal(revoked.successor_kid);
    expect(
      mirrored()
        .filter(({ role }) => role === 'certificate')
        .map(({ status }) => status),
    ).to.deep.equal(['retired', 'revoked', 'active']);
  });
});
