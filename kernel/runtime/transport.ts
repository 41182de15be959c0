import type { Clock } from '../clock.ts';
import { ProviderError } from '../error.ts';
import type { Health } from '../health.ts';
import type { Provider } from '../loader.ts';
import type { Log } from '../log.ts';
import type { Dispatch, Outcome } from './outcome.ts';
import type { ProviderHandle } from './provider.ts';

/** What a transport is opened with. */
export interface TransportOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long opening and probing may take, ms. */
  readonly timeoutMs: number;
  readonly onHealth: (provider: string, from: Health, to: Health, reason: string) => void;
}

/** One opening of a configured provider, shared by the generations of all Orbs it serves. */
export interface Transport {
  readonly provider: Provider;
  /** Last known, by probe or by the last call. */
  health(): Health;
  /** True once `open` has succeeded and until `close`. */
  isOpen(): boolean;
  /** Opens when it is not open, then probes; never rejects: a failure shows in the health. */
  revive(): Promise<void>;
  /** Makes one call; always resolves to an Outcome. */
  execute(dispatch: Dispatch): Promise<Outcome>;
  close(): Promise<void>;
}

/** Creates a transport; nothing is opened yet. */
export function createTransport(provider: Provider, options: TransportOptions): Transport {
  const log = options.log.child({ provider: provider.name });
  let handle: ProviderHandle | undefined;
  let health: Health = 'unknown';
  const become = (next: Health, reason: string): void => {
    if (next === health) return;
    const from = health;
    health = next;
    options.onHealth(provider.name, from, next, reason);
  };
  return {
    provider,
    health: () => health,
    isOpen: () => handle !== undefined,
    async revive() {
      try {
        handle ??= await openOnce(provider, options, log);
        await probe(handle, options.timeoutMs);
        become('up', 'probe');
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'provider does not answer its probe');
        become('down', messageOf(error));
      }
    },
    async execute(dispatch) {
      if (handle === undefined)
        return { outcome: 'not_sent', phase: 'open', message: `${provider.name} could not be opened` };
      const outcome = await call(handle, dispatch, log);
      const next = healthAfter(outcome);
      if (next !== undefined) become(next, outcome.outcome);
      return outcome;
    },
    async close() {
      const closing = handle;
      handle = undefined;
      await closing
        ?.close?.()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'provider did not close cleanly'));
    },
  };
}

// A late opening that outlived its deadline is closed again: its resources must not stay.
async function openOnce(
  provider: Provider,
  { stateDir, timeoutMs }: TransportOptions,
  log: Log,
): Promise<ProviderHandle> {
  const signal = AbortSignal.timeout(timeoutMs);
  // The configuration was validated against this adapter's own schema, whose type the loader erased.
  const opening = provider.adapter.open({ config: provider.config as never, signal, stateDir, log });
  try {
    const handle = await within(opening, signal, 'opening took too long');
    if (typeof handle?.execute !== 'function') throw new Error('open answered no handle with execute()');
    return handle;
  } catch (error) {
    opening.then((late) => late?.close?.()).catch(() => undefined);
    throw error;
  }
}

async function probe(handle: ProviderHandle, timeoutMs: number): Promise<void> {
  if (handle.probe === undefined) return;
  const signal = AbortSignal.timeout(timeoutMs);
  await within(handle.probe(signal), signal, 'the probe took too long');
}

function within<T>(work: Promise<T>, signal: AbortSignal, message: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(message)), { once: true });
    work.then(resolve, reject);
  });
}

async function call(handle: ProviderHandle, dispatch: Dispatch, log: Log): Promise<Outcome> {
  try {
    const outputs: unknown = await handle.execute(dispatch.inputs, {
      signal: dispatch.signal,
      idempotency_key: dispatch.idempotency_key,
      log,
    });
    if (isPlainObject(outputs)) return { outcome: 'accepted', outputs };
    log.error({ answered: typeof outputs }, 'adapter answered no plain object');
  } catch (error) {
    if (error instanceof ProviderError) return failure(error);
    log.error({ err: error }, 'adapter threw an error without an outcome');
  }
  return { outcome: 'unknown', phase: 'adapter', message: 'the adapter did not say what became of the call' };
}

function failure({ outcome, message, phase, retry_after }: ProviderError): Outcome {
  return {
    outcome,
    message,
    ...(phase === undefined ? {} : { phase }),
    ...(retry_after === undefined ? {} : { retry_after }),
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// What the request itself caused says nothing about the provider.
function healthAfter(outcome: Outcome): Health | undefined {
  if (outcome.outcome === 'accepted') return 'up';
  if (outcome.outcome === 'provider_fault' || outcome.outcome === 'not_sent') return 'down';
  if (outcome.outcome === 'throttled' || (outcome.outcome === 'unknown' && outcome.phase !== 'deadline'))
    return 'degraded';
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
