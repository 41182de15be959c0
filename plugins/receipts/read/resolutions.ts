import type { StoredReceipt } from './stored-receipt.ts';

/**
 * Orders the receipts of a run, its own first: each resolution names the receipt that it settles. They
 * may be in several shards, whose positions do not compare.
 */
export function inChain(receipts: readonly StoredReceipt[]): readonly StoredReceipt[] {
  const [first, ...rest] = receipts;
  if (first === undefined || rest.length < 2) return receipts;
  const chain = [first];
  for (let last: StoredReceipt | undefined = first; last !== undefined;) {
    const { receipt_id: id }: StoredReceipt = last;
    last = rest.find((one) => !chain.includes(one) && resolved(one) === id);
    if (last !== undefined) chain.push(last);
  }
  // What a damaged receipt hides comes first: the newest resolution stays the last.
  return [first, ...rest.filter((one) => !chain.includes(one)), ...chain.slice(1)];
}

function resolved({ payload }: StoredReceipt): unknown {
  try {
    const { predicate } = JSON.parse(Buffer.from(payload).toString()) as Statement;
    return predicate.facts.resolves.receipt_id;
  } catch {
    return undefined;
  }
}

interface Statement {
  readonly predicate: { readonly facts: { readonly resolves: { readonly receipt_id?: unknown } } };
}
