import { expect } from 'chai';
import type { Certificate } from '../../../../../plugins/ledger/certificate/format/credential-schema.ts';
import { statusByStore } from '../../../../../plugins/ledger/certificate/verify-service/verify-own.ts';
import type { StoredCertificate } from '../../../../../plugins/ledger/certificate/issue/tables.ts';
import { certificateId } from '../../../../../plugins/ledger/certificate/format/certificate-url.ts';

const id = `crt_${'0'.repeat(26)}`;
const address = `https://orb.example/certificates/${id}`;

describe('the id of a certificate', () => {
  it('is the end of its address', () => {
    expect(certificateId(address)).to.equal(id);
    for (const other of [
      `${address}/`,
      `${address}0`,
      address.toLowerCase().replace('crt_0', 'crt_i'),
      id,
      `x${id}`,
      '',
    ])
      expect(certificateId(other), other).to.equal(undefined);
  });
});

describe('the status of an own certificate', () => {
  const document = { id: address, name: 'a' } as unknown as Certificate;
  const until = Date.parse('2026-12-01T00:00:00Z');
  const status = (asked: object, more: Partial<StoredCertificate> = {}, now = until - 1) => {
    const stored = { id, document, valid_until: '2026-12-01T00:00:00Z', suspended: false, revoked: false, ...more };
    const known = certificateId((asked as Certificate).id) === id ? (stored as StoredCertificate) : undefined;
    const { result, detail } = statusByStore(known, now)(asked as Certificate);
    return [result, detail];
  };

  it('passes while it is valid, and when it is over, which is not of the status', () => {
    expect(status(document)).to.deep.equal(['pass', undefined]);
    expect(status({ name: 'a', id: address }), 'in another order').to.deep.equal(['pass', undefined]);
    expect(status(document, { suspended: true }, until), 'over').to.deep.equal(['pass', undefined]);
  });

  it('fails when it was suspended or revoked', () => {
    expect(status(document, { suspended: true })).to.deep.equal(['fail', 'suspended']);
    expect(status(document, { revoked: true })).to.deep.equal(['fail', 'revoked']);
    expect(status(document, { revoked: true }, until)).to.deep.equal(['fail', 'revoked']);
  });

  it('fails of one that was not issued here, or not so', () => {
    const unknown = ['fail', 'this installation keeps no such certificate'];
    expect(status({ id: 'https://orb.example' })).to.deep.equal(unknown);
    expect(status({ id: address.replace('crt_0', 'crt_1') })).to.deep.equal(unknown);
    expect(status({ ...document, name: 'b' })).to.deep.equal([
      ...['fail', 'this installation issued another certificate of this id'],
    ]);
  });
});
