import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { BuiltinFault, stringArgument, type Builtin, type Builtins } from './builtin.ts';

function hash(name: string, algorithm: string): Builtin {
  return (text) => createHash(algorithm).update(stringArgument(name, text), 'utf8').digest('hex');
}

function hmac(name: string, algorithm: string): Builtin {
  return (text, key) =>
    createHmac(algorithm, stringArgument(name, key)).update(stringArgument(name, text), 'utf8').digest('hex');
}

/** Builtins for digests and encodings of text. */
export const digestBuiltins: Builtins = {
  'crypto.md5': hash('crypto.md5', 'md5'),
  'crypto.sha1': hash('crypto.sha1', 'sha1'),
  'crypto.sha256': hash('crypto.sha256', 'sha256'),
  'crypto.hmac.md5': hmac('crypto.hmac.md5', 'md5'),
  'crypto.hmac.sha1': hmac('crypto.hmac.sha1', 'sha1'),
  'crypto.hmac.sha256': hmac('crypto.hmac.sha256', 'sha256'),
  'crypto.hmac.sha512': hmac('crypto.hmac.sha512', 'sha512'),
  'crypto.hmac.equal': (left, right) => {
    const [a, b] = [left, right].map((text) => Buffer.from(stringArgument('crypto.hmac.equal', text), 'utf8'));
    return a !== undefined && b !== undefined && a.length === b.length && timingSafeEqual(a, b);
  },
  'hex.encode': (text) => Buffer.from(stringArgument('hex.encode', text), 'utf8').toString('hex'),
  'hex.decode': (text) => {
    const digits = stringArgument('hex.decode', text);
    if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw new BuiltinFault('hex.decode', 'the text is not hexadecimal');
    return Buffer.from(digits, 'hex').toString('utf8');
  },
  'base64url.encode_no_pad': (text) =>
    Buffer.from(stringArgument('base64url.encode_no_pad', text), 'utf8').toString('base64url'),
};
