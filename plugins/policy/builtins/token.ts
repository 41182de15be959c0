import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { BuiltinFault, stringArgument, type Builtin, type Builtins } from './builtin.ts';

/** Builtins for tokens, identifiers and network ranges. */
export const tokenBuiltins: Builtins = {
  'io.jwt.decode': decodeJwt,
  'io.jwt.verify_hs256': verifyHmac('io.jwt.verify_hs256', 'sha256'),
  'io.jwt.verify_hs384': verifyHmac('io.jwt.verify_hs384', 'sha384'),
  'io.jwt.verify_hs512': verifyHmac('io.jwt.verify_hs512', 'sha512'),
  'net.cidr_is_valid': cidrIsValid,
};

function partsOf(name: string, token: unknown): readonly [string, string, string] {
  const parts = stringArgument(name, token).split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined)
    throw new BuiltinFault(name, 'the text is not a compact JWS');
  return [header, payload, signature];
}

function decodeJwt(token: unknown): readonly unknown[] {
  const name = 'io.jwt.decode';
  const [header, payload, signature] = partsOf(name, token);
  const object = (part: string): object => {
    const value = jsonOf(name, part);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new BuiltinFault(name, 'the token does not hold two JSON objects');
    return value;
  };
  const head = object(header);
  if (!/^[A-Za-z0-9_-]*={0,2}$/.test(signature) || signature.length % 4 === 1)
    throw new BuiltinFault(name, 'the signature is not base64url');
  if ('enc' in head) throw new BuiltinFault(name, 'the token is encrypted');
  return [head, object(payload), Buffer.from(signature, 'base64url').toString('hex')];
}

function jsonOf(name: string, part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'), finite);
  } catch {
    throw new BuiltinFault(name, 'the token does not hold two JSON objects');
  }
}

// A number beyond the range of a double would become null, which is below every number.
function finite(_: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('a number is too large');
  return value;
}

function verifyHmac(name: string, algorithm: string): Builtin {
  return (token, secret) => {
    const [header, payload, signature] = partsOf(name, token);
    const expected = createHmac(algorithm, stringArgument(name, secret)).update(`${header}.${payload}`).digest();
    const given = Buffer.from(signature, 'base64url');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

function cidrIsValid(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [address = '', bits = '', ...more] = value.split('/');
  const family = isIP(address);
  return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
