import { decodeBase64Url } from '../base64.ts';
import { thumbprint } from '../jwk.ts';
import { parseStrict } from './strict-json.ts';

/** One key the verifier was told to trust. */
export interface PinnedKey {
  readonly kid: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly role: string;
  readonly revoked: boolean;
  /** The key id is the thumbprint of this very key; if not, somebody changed one of them. */
  readonly consistent: boolean;
}

/** What the verifier trusts, from outside the artefact. */
export interface Trust {
  readonly keys: readonly PinnedKey[];
}

/** Reads a JWK Set (`jwks.json`, or what `/.well-known/jwks.json` answered). Undefined when the text is none. */
export function readTrust(text: string): Trust | undefined {
  const set = parseStrict(text);
  if (!isRecord(set) || !Array.isArray(set['keys'])) return undefined;
  return trustOf(set['keys']);
}

/** Takes the Ed25519 keys of a JWK Set; keys of other kinds are not for receipts and left out. */
export function trustOf(jwks: readonly unknown[]): Trust {
  return { keys: jwks.flatMap(pinned) };
}

function pinned(jwk: unknown): PinnedKey[] {
  if (!isRecord(jwk) || jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') return [];
  const { kid, x, role, status } = jwk;
  const publicKey = typeof x === 'string' ? decodeBase64Url(x) : undefined;
  if (typeof kid !== 'string' || publicKey?.length !== 32) return [];
  return [
    {
      kid,
      publicKey,
      role: typeof role === 'string' ? role : '',
      // A word this verifier does not know is not taken for good news.
      revoked: status !== 'active' && status !== 'retired',
      consistent: thumbprint(publicKey) === kid,
    },
  ];
}

/** Says whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
