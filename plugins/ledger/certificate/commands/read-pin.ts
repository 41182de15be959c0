import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, type CommandCall } from '../../../../kernel/index.ts';
import { keyOfDid, webDidAddress } from '../format/did.ts';
import { pinDidDocument, pinKeySet, type Pin } from '../verifier/pin.ts';

/**
 * Reads the issuer that the caller trusts from `--issuer` and `--keys`; undefined: none is given. Prints the reason and
 * answers `unusable` when an option cannot be used.
 */
export async function readPin(call: CommandCall): Promise<Pin | undefined | 'unusable'> {
  const { issuer, keys } = call.options;
  const file = typeof keys === 'string' ? await readKeySet(keys) : undefined;
  if (typeof keys === 'string' && file === undefined) return refuse(call, `${keys} contains no certificate key`);
  // On the machine of the platform, use the platform's own key file.
  const pinned = file ?? (await readKeySet(join(call.stateDir, 'jwks.json')));
  if (typeof issuer !== 'string') return pinned;
  const key = keyOfDid(issuer);
  if (key !== undefined) return ofKey(issuer, key, pinned);
  const address = webDidAddress(issuer);
  if (address === undefined) return refuse(call, `--issuer takes a did:key, or a did:web of a host, not ${issuer}`);
  if (file !== undefined) return { ...file, dids: [issuer] };
  try {
    const pin = pinDidDocument(await ask(address), issuer);
    return pin ?? refuse(call, `${address} does not describe ${issuer}`);
  } catch (error) {
    return refuse(call, `${address}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Pins the key that the DID contains; only a key file can give the key's position in the log. */
function ofKey(did: string, key: Uint8Array, pinned: Pin | undefined): Pin {
  const same = (one: Uint8Array): boolean => Buffer.from(one).equals(key);
  const known = pinned?.keys.some(({ public_key }) => same(public_key)) === true;
  // Its other keys are those of the same installation: they may have signed the status lists.
  return { dids: [did], keys: known ? pinned.keys : [{ public_key: key, revoked: false }] };
}

async function readKeySet(path: string): Promise<Pin | undefined> {
  try {
    return pinKeySet(parseJson(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

const timeoutMs = 10_000;
const largestBytes = 65_536;

// The only address that is fetched: the host the caller typed, over HTTPS, without following redirects.
async function ask(address: string): Promise<unknown> {
  const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  let body = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    body += decoder.decode(part as Uint8Array, { stream: true });
    if (body.length > largestBytes) throw new Error('answered more than a DID document');
  }
  return parseJson(body);
}

function refuse({ note }: CommandCall, why: string): 'unusable' {
  note(why);
  return 'unusable';
}
