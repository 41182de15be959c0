// Takes the place of tweetnacl in the package: the verifier is synchronous and asks here, WebCrypto answers between two
// runs of it. What is not answered yet counts as forged, so no result with an open question is ever used.

type Bytes = Uint8Array;

/** Verifies one signature. */
export type Ed25519 = (publicKey: Bytes, message: Bytes, signature: Bytes) => boolean | Promise<boolean>;

interface Question {
  readonly parts: readonly [publicKey: Bytes, message: Bytes, signature: Bytes];
  valid?: boolean;
}

let asked: Question[] | undefined;

const same = (one: Bytes, other: Bytes): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

function verify(message: Bytes, signature: Bytes, publicKey: Bytes): boolean {
  const parts = [publicKey, message, signature] as const;
  const known = asked?.find((one) => one.parts.every((part, at) => same(part, parts[at] ?? part)));
  if (known === undefined) asked?.push({ parts });
  return known?.valid === true;
}

/** The members of tweetnacl that the verifier uses. */
export default { sign: { publicKeyLength: 32, signatureLength: 64, detached: { verify } } };

/** Repeats synchronous work until every signature that it asks for was verified. */
export async function withSignatures<T>(work: () => T, ed25519: Ed25519 = webCrypto): Promise<T> {
  const questions: Question[] = [];
  for (;;) {
    asked = questions;
    let result: T;
    try {
      result = work();
    } finally {
      asked = undefined;
    }
    const open = questions.filter(({ valid }) => valid === undefined);
    if (open.length === 0) return result;
    for (const question of open) question.valid = await ed25519(...question.parts);
  }
}

const webCrypto: Ed25519 = async (publicKey, message, signature) => {
  const { subtle } = crypto;
  const [raw, text, signed] = [publicKey, message, signature].map((bytes) => Uint8Array.from(bytes));
  if (raw === undefined || text === undefined || signed === undefined) return false;
  const key = await subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, signed, text);
};
