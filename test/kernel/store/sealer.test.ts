import { createHmac, hkdfSync } from 'node:crypto';
import { expect } from 'chai';
import { createSealer, sealerOf } from '../../../kernel/store/sealer.ts';

const masterKey = Buffer.alloc(32, 3);
const installation = 'ins_01M6B1YQ000000000000000001';
const nonce = () => new Uint8Array(24).fill(4);
const plain = Buffer.from('6465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f80818283', 'hex');
const vector = 'AQQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBO0VzPseZi4GVBbgkUck/L+9SQJKb9JnPw26V5cG6DORLT09ianAMdEjTIhQjm3mbg==';

describe('the sealer', () => {
  const sealer = createSealer(masterKey, installation);

  it('serves a store module for the purposes that it declares, and for inputs', () => {
    const own = sealerOf(sealer, { name: 'notes', seals: ['notes'] });
    for (const purpose of ['notes', 'inputs'])
      expect(Buffer.from(sealer.open(purpose, own.seal(purpose, Buffer.from('x')))).toString()).to.equal('x');
    expect(() => own.seal('signing', Buffer.from('x'))).to.throw('notes does not declare that it seals signing');
    expect(() => own.open('signing', sealer.seal('signing', Buffer.from('x')))).to.throw('does not declare');
    expect(() => sealerOf(sealer, undefined).seal('notes', Buffer.from('x'))).to.throw('a plugin without a store');
  });

  it('reproduces the published vector', () => {
    const blob = createSealer(masterKey, installation, nonce).seal('signing', plain);
    expect(Buffer.from(blob).toString('base64')).to.equal(vector);
    expect(Buffer.from(sealer.open('signing', Buffer.from(vector, 'base64'))).equals(plain)).to.equal(true);
  });

  it('codes a text by the key of its purpose, HMAC-SHA256', () => {
    for (const purpose of ['repeat', 'events', 'repeat']) {
      const key = hkdfSync('sha256', masterKey, installation, `agent-orb/seal/1/${purpose}`, 32);
      const code = createHmac('sha256', new Uint8Array(key)).update('text').digest('hex');
      expect(sealer.mac(purpose, 'text'), purpose).to.equal(code);
    }
  });

  it('never makes the same blob twice', () => {
    expect(sealer.seal('inputs', plain)).not.to.deep.equal(sealer.seal('inputs', plain));
  });

  it('seals the empty value too', () => {
    expect(sealer.open('inputs', sealer.seal('inputs', new Uint8Array(0)))).to.have.length(0);
  });

  it('opens nothing that was changed, cut, or sealed for another purpose, installation or key', () => {
    const blob = sealer.seal('signing', plain);
    for (let index = 0; index < blob.length; index++) {
      const changed = Uint8Array.from(blob);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealer.open('signing', changed), `byte ${index}`).to.throw('sealed');
    }
    for (let length = 0; length < blob.length; length++)
      expect(() => sealer.open('signing', blob.subarray(0, length)), `${length} bytes`).to.throw('sealed');
    expect(() => sealer.open('inputs', blob)).to.throw('sealed');
    expect(() => createSealer(masterKey, `${installation}x`).open('signing', blob)).to.throw('sealed');
    expect(() => createSealer(Buffer.alloc(32, 5), installation).open('signing', blob)).to.throw('sealed');
  });
});
