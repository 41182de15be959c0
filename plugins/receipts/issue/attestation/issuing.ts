import {
  every,
  operation,
  PlatformError,
  whenKnown,
  type Attestation,
  type Awaitable,
  type Fact,
  type Health,
  type Log,
} from '../../../../kernel/index.ts';
import { attest, type AttestScope } from './attest.ts';
import receiptsStore from '../../store.ts';

type State = { readonly health: Health; readonly reason?: string };

const up: State = { health: 'up' };
const probeMs = 2000;

/**
 * Issues receipts; `moved` is called after each, and when it fails the receipt is issued all the same. While down, it
 * probes signer and disk, to recover without traffic.
 */
export function createIssuing(scope: AttestScope, moved: () => Awaitable<void>, log: Pick<Log, 'error'>) {
  let state = up;
  // The receipt is committed. If the caller got an error, it would repeat the effect that the receipt attests.
  const kept = (receipt: Attestation, err: unknown): Attestation => {
    log.error({ err, receipt_id: receipt.receipt_id }, 'a receipt was issued, but a step after it failed');
    return receipt;
  };
  const issued = (receipt: Attestation): Awaitable<Attestation> => {
    state = up;
    try {
      const answer = whenKnown(moved(), () => receipt);
      return answer instanceof Promise ? answer.catch((error: unknown) => kept(receipt, error)) : answer;
    } catch (error) {
      return kept(receipt, error);
    }
  };
  const failed = (error: unknown): never => {
    // When an operation of the fact was refused, the signer may still be working.
    if (!(error instanceof PlatformError) || error.code === 'internal' || error.code === 'storage_unavailable')
      state = { health: 'down', reason: 'issuing the last receipt failed' };
    throw error;
  };
  const probe = async (): Promise<void> => {
    if (state === up) return;
    await scope.store.write([operation(receiptsStore, 'probe', {})]);
    state = up;
  };
  return {
    /** Down after a receipt could not be issued, until an issue or a probe succeeds. */
    health: () => state,
    /** Attests one fact. */
    attest: (fact: Fact): Promise<Attestation> => {
      try {
        return attest(fact, scope).then(issued, failed);
      } catch (error) {
        return failed(error);
      }
    },
    /** Stops the probing. A failed probe leaves the state down, which is already reported. */
    stop: every(probeMs, probe, () => undefined),
  };
}
