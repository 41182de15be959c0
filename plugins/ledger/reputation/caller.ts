import { createHmac, randomBytes } from 'node:crypto';
import { operation, type Store } from '../../../kernel/index.ts';
import ledgerStore from '../store.ts';

/** Pseudonym of a caller, which only holders of the secret can link to it: 64 hex, different in each namespace. */
export type CallerRef = (caller: string, namespace: string) => string;

// The cache holds at most so many callers.
const mostKept = 20_000;

/** Opens the installation's secret, made at the first start and never changed: a change would make every caller new. */
export async function openCallerRef(store: Pick<Store, 'write' | 'sealer'>): Promise<CallerRef> {
  const fresh = store.sealer.seal('ledger', randomBytes(32));
  const [sealed] = await store.write([operation(ledgerStore, 'ensureSecret', { sealed: fresh })]);
  return callerRef(store.sealer.open('ledger', sealed));
}

/** Makes the function: HMAC-SHA256(secret, caller ‖ 0 ‖ namespace). */
export function callerRef(secret: Uint8Array): CallerRef {
  const kept = new Map<string, string>();
  return (caller, namespace) => {
    const text = `${caller}\0${namespace}`;
    const known = kept.get(text);
    if (known !== undefined) return known;
    if (kept.size >= mostKept) kept.clear();
    const ref = createHmac('sha256', secret).update(text).digest('hex');
    kept.set(text, ref);
    return ref;
  };
}
