import { operation, type Store } from '../../../kernel/index.ts';
import type { CertificateSigner } from '../contract.ts';
import type { KeyState } from './state.ts';
import receiptsStore from '../store.ts';

/** Makes the service that signs certificates; the key stays in the writer thread. */
export function createCertificateSigner(store: Pick<Store, 'write'>, state: KeyState): CertificateSigner {
  return Object.freeze({
    keys: () =>
      state
        .keys()
        .flatMap(({ kid, public_key, revoked_at, role, since, status }) =>
          role === 'certificate' && since !== undefined
            ? [{ kid, public_key, status, since, ...(revoked_at === undefined ? {} : { revoked_at }) }]
            : [],
        ),
    async sign(message: Uint8Array) {
      const [signed] = await store.write([operation(receiptsStore, 'signCertificate', { message })]);
      return signed;
    },
  } satisfies CertificateSigner);
}
