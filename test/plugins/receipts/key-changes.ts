import { expect } from 'chai';
import { verifySignature } from '../../../plugins/receipts/format/ed25519.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import type { FreshReceipts } from './fresh.ts';
import { newRun } from './harness.ts';
import { operator } from './signing-keys.ts';
import type { Receipt } from '../../../plugins/runtime/contract.ts';

/** Lists the signing keys through their route. */
export async function signingKeys({ call }: FreshReceipts): Promise<{ kid: string; role: string; status: string }[]> {
  return ((await call('/signing-keys', {}, operator)) as { keys: { kid: string; role: string; status: string }[] })
    .keys;
}

/** Answers the id of the active key of a role. */
export async function activeKey(receipts: FreshReceipts, role: string): Promise<string> {
  return (await signingKeys(receipts)).find((key) => key.role === role && key.status === 'active')?.kid ?? '';
}

/** Verifies a receipt with what stands in the state dir alone. */
export async function offline(receipts: FreshReceipts, id: string): Promise<ReturnType<typeof verify>> {
  return verify(JSON.stringify(await receipts.read(id)), receipts.trust(), { verifySignature });
}

/** Reads the predicate of a receipt's statement. */
export async function predicateOf({ read }: FreshReceipts, id: string): Promise<OtherStatement['predicate']> {
  return ((await read(id)).statement as OtherStatement).predicate;
}

/** Keeps attesting until told to stop; answers every receipt that was acknowledged. */
export function underLoad({ attest }: FreshReceipts): () => Promise<Receipt[]> {
  let on = true;
  const done = Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const made: Receipt[] = [];
      while (on) made.push(await attest(newRun(`o${at % 3}`)));
      return made;
    }),
  );
  return async () => {
    on = false;
    return (await done).flat();
  };
}

/** Expects the chain of each Orbiset in each shard to number from 1 and to name the digest of the receipt before. */
export function expectWholeChains({ stored }: FreshReceipts): void {
  const chained = stored('WHERE r.sequence IS NOT NULL ORDER BY r.rowid');
  const heads = new Map<string, { sequence: number; digest: string }>();
  for (const { digest, orbiset_id, origin, payload, sequence } of chained) {
    const { predicate } = JSON.parse(Buffer.from(payload).toString()) as { predicate: { previous_digest?: string } };
    const head = heads.get(`${origin} ${orbiset_id}`);
    expect(sequence).to.equal((head?.sequence ?? 0) + 1);
    expect(predicate.previous_digest).to.equal(head?.digest);
    heads.set(`${origin} ${orbiset_id}`, { sequence: Number(sequence), digest });
  }
}
