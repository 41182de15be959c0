import {
  every,
  operation,
  PlatformError,
  whenKnown,
  type Attestation,
  type Awaitable,
  type Fact,
  type Health,
} from '../../../kernel/index.ts';
import { attest, type AttestScope } from './attest.ts';
import receiptsStore from '../store.ts';

/** The signer as the main thread sees it. */
export interface Issuing {
  /** Attests one fact. */
  attest(fact: Fact): Promise<Attestation>;
  /** Down after a receipt could not be issued, until an issue or a probe succeeds. */
  health(): { readonly health: Health; readonly reason?: string };
  /** Stops the probing. */
  stop(): void;
}

const up: ReturnType<Issuing['health']> = { health: 'up' };
const probeMs = 2000;

/** Issues receipts; `moved` is called after each. While down, it probes signer and disk, to recover without traffic. */
export function createIssuing(scope: AttestScope, moved: () => Awaitable<void>): Issuing {
  let state = up;
  const issued = (receipt: Attestation): Awaitable<Attestation> => {
    state = up;
    return whenKnown(moved(), () => receipt);
  };
  const failed = (error: unknown): never => {
    // When an operation of the fact was refused, the signer may still be working.
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
    // A failed probe leaves the state down, which is already reported.
    stop: every(probeMs, probe, () => undefined),
  };
}
