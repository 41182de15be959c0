import { decodeList, isSet } from '../../../../plugins/ledger/certificate/format/status-list.ts';
import type { World } from './world.ts';

/** Bits of a certificate as its status lists show them. */
export async function bits(
  world: World,
  credential: { credentialStatus: { statusListIndex: string; statusListCredential: string }[] },
) {
  const found: boolean[] = [];
  for (const { statusListCredential, statusListIndex } of credential.credentialStatus) {
    const list = await world.get(new URL(statusListCredential).pathname);
    const set = isSet(decodeList(list.credentialSubject.encodedList) ?? new Uint8Array(), Number(statusListIndex));
    found.push(set ?? false);
  }
  return { revoked: found[0], suspended: found[1] };
}
