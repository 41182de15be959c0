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
  after,
  createListeners,
} from '../../../../kernel/index.ts';
import { attest, type AttestScope } from './attest.ts';
import receiptsStore from '../../store.ts';
import type { KeyState } from '../../keys/service/state.ts';

type State = { readonly health: Health; readonly reason?: string };

const up: State = { health: 'up' };
const probeMs = 2000;

/**
 * Issues receipts; `moved` is called after each, and when it fails the receipt is issued all the same. While down, it
 * probes signer and disk, to recover without traffic.
 */
export function createIssuing(scope: AttestScope, moved: () => Awaitable<void>) {
  let state = up;
  // The receipt is committed. If the caller got an error, it would repeat the effect that the receipt attests.
  const kept = (receipt: Attestation, err: unknown): Attestation => {
    scope.log.error({ err, receipt_id: receipt.receipt_id }, 'a receipt was issued, but a step after it failed');
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

/** What the growth of the log needs; `grew` is called each time. */
interface Growing {
  readonly keys: Pick<KeyState, 'hasLog' | 'refresh'>;
  readonly log: Pick<Log, 'error'>;
  readonly grew: () => void;
}

const retryMs = 1000;

/**
 * Makes the function that is called after each commit to the log; it never rejects, because the commit has succeeded.
 * The first entry of a process opens its log, whose key is then known before the receipt is answered; a read that fails
 * is tried again in the background.
 */
export function createGrowth({ grew, keys, log }: Growing): { moved(): Awaitable<void>; stop(): void } {
  let stopRetrying: (() => void) | undefined;
  let stopped = false;
  const failed = (err: unknown): void => {
    log.error({ err }, 'the log key could not be read after the first entry of the log; the server tries again');
    if (!stopped) stopRetrying ??= after(retryMs, retry, failed);
  };
  const retry = (): Promise<void> => {
    stopRetrying = undefined;
    return keys.refresh();
  };
  return {
    moved: () => (keys.hasLog ? grew() : keys.refresh().catch(failed).then(grew)),
    stop() {
      stopped = true;
      stopRetrying?.();
    },
  };
}

/**
 * Makes what notifies listeners of growth: once for many changes, and never within the caller's own call; `failed` is called
 * with the error of a listener that throws.
 */
export function createAnnouncer(failed: (error: unknown) => void) {
  const listeners = createListeners(failed);
  let scheduled = false;
  const tell = (): void => {
    scheduled = false;
    listeners.tell();
  };
  return {
    grew(): void {
      if (scheduled) return;
      scheduled = true;
      setImmediate(tell);
    },
    listen: (listener: () => void) => listeners.add(listener),
  };
}
