import type { FactKind } from '../format/fact-kind.ts';
import { decodeBase64Url } from '../format/base64.ts';
import { thumbprint } from '../format/jwk.ts';
import type { LogPolicy } from '../log/pure/policy-file.ts';
import { isKeyName, noteKey } from '../log/pure/note.ts';
import { positionOf, type LogPosition } from './position.ts';
import { isRecord, parseStrict } from '../format/strict-json.ts';

/** One key that the verifier trusts. */
export interface PinnedKey {
  readonly kid: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly role: string;
  readonly revoked: boolean;
  /** Position from which a revoked key is invalid; absent: invalid from the first entry. */
  readonly revokedAt?: LogPosition;
  /** Positions in other logs before which what a revoked key signed stands. */
  readonly stands?: readonly LogPosition[];
  /** The key id is the thumbprint of this key; if not, one of them was changed. */
  readonly consistent: boolean;
  /** For a log key: the log it signs for. */
  readonly origin?: string;
}

/** What the verifier trusts; never taken from the artefact. */
export interface Trust {
  readonly keys: readonly PinnedKey[];
  /** Keys of logs and witnesses; absent: no log is trusted. */
  readonly policy?: LogPolicy;
  /** Kinds of facts known besides those of the kernel and of receipts; absent: none. */
  readonly facts?: readonly FactKind[];
}

/** Reads a JWK Set (`jwks.json`, or the answer of `/.well-known/jwks.json`). Undefined when the text is no JWK Set. */
export function readTrust(text: string): Trust | undefined {
  const set = parseStrict(text);
  if (!isRecord(set) || !Array.isArray(set['keys'])) return undefined;
  return trustOf(set['keys']);
}

/**
 * Takes the Ed25519 keys of a JWK Set and ignores other kinds of keys, which do not sign receipts. Keys of the role
 * `log` are trusted for the log they name.
 */
export function trustOf(jwks: readonly unknown[]): Trust {
  const keys = jwks.flatMap(pinned);
  const logs = keys.flatMap(({ consistent, origin, publicKey, role }) =>
    role === 'log' && consistent && origin !== undefined && isKeyName(origin) ? [noteKey(origin, publicKey)] : [],
  );
  return { keys, policy: { logs, witnesses: new Map(), groups: new Map() } };
}

function pinned(jwk: unknown): PinnedKey[] {
  if (!isRecord(jwk) || jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') return [];
  const { kid, x, role, stands, status } = jwk;
  const revokedAt = positionOf(jwk['revoked_at']);
  const publicKey = typeof x === 'string' ? decodeBase64Url(x) : undefined;
  if (typeof kid !== 'string' || publicKey?.length !== 32) return [];
  return [
    {
      kid,
      publicKey,
      role: typeof role === 'string' ? role : '',
      // An unknown status counts as revoked.
      revoked: status !== 'active' && status !== 'retired',
      consistent: thumbprint(publicKey) === kid,
      ...(typeof jwk['origin'] === 'string' ? { origin: jwk['origin'] } : {}),
      ...(revokedAt === undefined ? {} : { revokedAt }),
      ...(Array.isArray(stands) ? { stands: stands.flatMap((one) => positionOf(one) ?? []) } : {}),
    },
  ];
}
