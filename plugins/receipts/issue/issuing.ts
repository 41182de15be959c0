import { every, operation, PlatformError, type Attestation, type Fact, type Health } from '../../../kernel/index.ts';
import { attest, type AttestScope } from './attest.ts';
import receiptsStore from '../store.ts';

/** The signer as the main thread sees it. */
export interface Issuing {
  /** Attests one fact. */
  attest(fact: Fact): Promise<Attestation>;
  /** Down from a receipt that could not be issued until one, or a probe, succeeds. */
  health(): { readonly health: Health; readonly reason?: string };
  /** Ends the probing. */
  stop(): void;
}

const up: ReturnType<Issuing['health']> = { health: 'up' };
const probeMs = 2000;

/** Issues receipts; \`moved\` hears of each. While it is down it probes the signer and the disk, so that it recovers without traffic. */
export function createIssuing(scope: AttestScope, moved: () => void): Issuing {
  let state = up;
  const issued = (receipt: Attestation): Attestation => {
    state = up;
    moved();
    return receipt;
  };
  const failed = (error: unknown): never => {
    // What an operation of the fact refused says nothing of the signer.
    if (!(error instanceof PlatformError) || error.code === 'internal' || error.code === 'storage_unavailable')
      state = { health: 'down', reason: 'the last receipt could not be issued' };
    throw error;
  };
  const probe = async (): Promise<void> => {
    if (state === up) return;
    await scope.store.write([operation(receiptsStore, 'probe', {})]);
    state = up;
  };
  return {
    health: () => state,
    attest(fact) {
      try {
        return attest(fact, scope).then(issued, failed);
      } catch (error) {
        return failed(error);
      }
    },
    // A probe that fails leaves it down, which is shown already.
    stop: every(probeMs, probe, () => undefined),
  };
}
