import { createHash } from 'node:crypto';

// Edwards25519 (RFC 8032 §5.1) by the book and slowly, for signatures no honest signer makes.
const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
type Point = readonly [x: bigint, y: bigint];

const mod = (n: bigint, m = p): bigint => ((n % m) + m) % m;
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [mod(base), exponent]; left > 0n; square = mod(square * square), left >>= 1n)
    if (left & 1n) result = mod(result * square);
  return result;
}
const inverse = (n: bigint): bigint => power(n, p - 2n);
const d = mod(-121665n * inverse(121666n));

function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const t = mod(d * x1 * x2 * y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + t)), mod((y1 * y2 + x1 * x2) * inverse(1n - t))];
}
function times(n: bigint, point: Point): Point {
  let result: Point = [0n, 1n];
  for (let [double, left] = [point, n]; left > 0n; double = add(double, double), left >>= 1n)
    if (left & 1n) result = add(result, double);
  return result;
}
function recover(y: bigint, odd: bigint): Point {
  const square = mod((y * y - 1n) * inverse(d * y * y + 1n));
  let x = power(square, (p + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * power(2n, (p - 1n) / 4n));
  return [(x & 1n) === odd ? x : mod(-x), y];
}
const little = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const encodeNumber = (n: bigint): Buffer => Buffer.from(n.toString(16).padStart(64, '0'), 'hex').reverse();
const encode = ([x, y]: Point): Buffer => encodeNumber(y + ((x & 1n) << 255n));

const generator = recover(mod(4n * inverse(5n)), 0n);
// A point of order 8; its multiples are all points of small order.
const eighth = recover(
  little(Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')),
  0n,
);
const torsion = Array.from({ length: 8 }, (_, n) => times(BigInt(n), eighth));
// The same points written otherwise: y at or above p, or a sign where x is 0.
const strange = [
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map((hex) => Buffer.from(hex, 'hex'));

/** A key, a message and a signature that some verifiers accept and others do not. */
export interface EdgeVector {
  readonly name: string;
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** What the equation of RFC 8032 without the cofactor says, R compared as bytes, S below L; undefined: see the test. */
  readonly valid?: boolean;
}

const challenge = (r: Uint8Array, a: Uint8Array, message: Uint8Array): bigint =>
  mod(little(createHash('sha512').update(r).update(a).update(message).digest()), order);

/**
 * Lists keys and commitments with components of small order, by every combination, over several messages. `secret`: the
 * scalar of the key; 0 makes a key of small order alone.
 */
export function* mixedOrder(messages: number, secret = 1234567890123456789n): Generator<EdgeVector> {
  const r = 9876543210987654321n;
  const [aB, rB] = [times(secret, generator), times(r, generator)];
  for (const [i, t1] of torsion.entries())
    for (const [j, t2] of torsion.entries()) {
      const [A, R] = [encode(add(aB, t1)), encode(add(rB, t2))];
      for (let n = 0; n < messages; n++) {
        const message = Buffer.from(`mixed ${i} ${j} ${n}`);
        const k = challenge(R, A, message);
        const signature = Buffer.concat([R, encodeNumber(mod(r + k * secret, order))]);
        // t2 + k·t1 is the point at infinity.
        const valid = (BigInt(j) + k * BigInt(i)) % 8n === 0n;
        yield { name: `mixed order ${i} ${j} ${n}`, publicKey: A, message, signature, valid };
      }
    }
}

/** Lists keys and commitments of small order alone, written in every way, with S = 0. */
export function* smallOrder(messages: number): Generator<EdgeVector> {
  const written = [...torsion.map(encode), ...strange];
  for (const publicKey of written)
    for (const R of written)
      for (let n = 0; n < messages; n++) {
        const signature = Buffer.concat([R, Buffer.alloc(32)]);
        const name = `small order ${publicKey.toString('hex')} ${R.toString('hex')} ${n}`;
        yield { name, publicKey, message: Buffer.from(`small ${n}`), signature };
      }
}

/** Adds L to the S of a signature as often as it fits: second signatures of one message. */
export function* withMoreS(signature: Uint8Array): Generator<Uint8Array> {
  const s = little(signature.subarray(32));
  for (let more = s + order; more < 2n ** 256n; more += order)
    yield Buffer.concat([signature.subarray(0, 32), encodeNumber(more)]);
}
