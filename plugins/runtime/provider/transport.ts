import { loggedReason, probeFailureOf } from '../outcome/provider-failure.ts';
import { failureOf } from '../outcome/failure.ts';
import type { Orb } from '../catalog/orb.ts';
import type { DeliveryReports } from '../facts/reports.ts';
import type { ProviderHealth } from './health.ts';
import { given, within, type Log, type PluginScope } from '../../../kernel/index.ts';
import {
  ProviderError,
  unlessAborted,
  type Offer,
  type ProviderHandle,
  type ExecuteContext,
  type Provider,
} from '../../../kernel/adapter.ts';
import type { Dispatch, Outcome } from '../../../kernel/runner.ts';

/** The options of a transport. */
export interface TransportOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'stateDir'> {
  readonly health: ProviderHealth;
  /** Called when the provider's tools were read again. */
  readonly onOffered?: (transport: Transport) => void;
  /** Makes the address for the delivery reports of a call. */
  readonly addressOf?: DeliveryReports['addressOf'] | undefined;
}

// The callers of `close` have other transports to close and a swap to end.
const closeTimeoutMs = 5000;

/** One opening of a configured provider; the generations of several Orbs may share it. */
export class Transport {
  readonly provider: Provider;
  readonly health: ProviderHealth;
  readonly #options: TransportOptions;
  readonly #log: Log;
  #handle: ProviderHandle | undefined;
  #holders = 0;
  /** Aborts an opening in progress. */
  #opening: AbortController | undefined;

  constructor(provider: Provider, options: TransportOptions) {
    this.provider = provider;
    this.health = options.health;
    this.#options = options;
    this.#log = options.log.child({ provider: provider.name });
  }

  /** True once `open` has succeeded and until it is closed. */
  isOpen(): boolean {
    return this.#handle !== undefined;
  }

  /** True while a generation uses it. */
  isHeld(): boolean {
    return this.#holders > 0;
  }

  /**
   * Opens it, if it is not open. Throws when the adapter throws or takes too long, or when the transport is closed
   * meanwhile; the resources of a late opening are released.
   */
  async open(timeoutMs: number): Promise<void> {
    if (this.#handle !== undefined) return;
    const { provider } = this;
    const { stateDir } = this.#options;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    this.#opening = controller;
    // The configuration was validated against this adapter's own schema, whose type the loader erased.
    const offered = (): void => (this.#handle === undefined ? undefined : this.#options.onOffered?.(this));
    const opening = provider.adapter.open({
      config: provider.config as never,
      ...{ signal, stateDir, log: this.#log, offered },
    });
    try {
      const handle = await unlessAborted(signal, opening, late('opening the provider took too long or was stopped'));
      if (typeof handle?.execute !== 'function')
        throw new ProviderError('provider_fault', 'open answered no handle with execute()');
      this.#handle = handle;
      if (handle.definitionOf !== undefined) this.#options.onOffered?.(this);
    } catch (error) {
      opening.then((late) => late?.close?.()).catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens and probes it, with the same time for both; a failure is kept for operators. Throws what the adapter throws. */
  async prove(timeoutMs: number, probing?: () => void): Promise<void> {
    try {
      await this.open(timeoutMs);
      probing?.();
      await this.probe(timeoutMs);
    } catch (error) {
      this.health.noteProbe(probeFailureOf(error));
      throw error;
    }
    this.health.probed(true, 'probe');
  }

  /** Proves credentials and reachability without an effect; without a probe, an open transport counts as reachable. */
  async probe(timeoutMs: number): Promise<void> {
    if (this.#handle?.probe === undefined) return;
    const signal = endAfter(timeoutMs);
    await unlessAborted(signal, this.#handle.probe(signal), late('the health check took too long'));
  }

  /** Opens and probes; never rejects: a failure shows in the health and in the log. */
  async revive(timeoutMs: number): Promise<void> {
    try {
      await this.prove(timeoutMs);
    } catch (error) {
      this.#warn(error, 'failed its health check');
      this.health.probed(false, probeFailureOf(error).message);
    }
  }

  /** Makes one call; always resolves to an Outcome. */
  execute(dispatch: Dispatch): Promise<Outcome> {
    if (this.#handle !== undefined) return call(this.#handle, dispatch, this.#log, this.#reportUrl(dispatch));
    return Promise.resolve({ outcome: 'not_sent', phase: 'open', message: `${this.provider.name} is not open` });
  }

  /**
   * Asks by our key whether the vendor has a dispatch: its outputs, `absent`, or `undefined` where it cannot be known.
   * Never rejects.
   */
  async lookup(key: string, timeoutMs: number): Promise<Record<string, unknown> | 'absent' | undefined> {
    if (this.#handle?.lookup === undefined) return undefined;
    const signal = endAfter(timeoutMs);
    try {
      const work = this.#handle.lookup(key, signal);
      return (await unlessAborted(signal, work, late('the look-up took too long'))) ?? 'absent';
    } catch (error) {
      this.#warn(error, 'failed to look up a call; the outcome stays unknown');
      return undefined;
    }
  }

  /** Lists the tools on offer; undefined when the adapter offers none by name. Throws when they cannot be read. */
  async offers(timeoutMs: number): Promise<readonly Offer[] | undefined> {
    if (this.#handle?.offers === undefined) return undefined;
    const signal = endAfter(timeoutMs);
    return unlessAborted(signal, this.#handle.offers(signal), late('listing the tools took too long'));
  }

  /**
   * Says why it cannot serve an Orb: only the provider that the manifest names may have another definition of the tool,
   * and its adapter then decides. Undefined when it can.
   */
  unfitFor({ orb_id, manifest: { upstream } }: Pick<Orb, 'orb_id' | 'manifest'>): string | undefined {
    const { name } = this.provider;
    if (upstream === undefined || name === upstream.provider) return undefined;
    if (this.definitionOf(upstream.tool) === upstream.definition_digest) return undefined;
    return `provider ${name} offers no tool ${upstream.tool} with the definition in the manifest of ${orb_id}`;
  }

  /** Returns the digest of a tool's definition as last read; none when it is not on offer. */
  definitionOf(tool: string): string | undefined {
    return this.#handle?.definitionOf?.(tool);
  }

  /** Counts one more generation that uses it. */
  hold(): void {
    this.#holders += 1;
  }

  /** Removes one use by a generation; the last one closes the transport. */
  async release(): Promise<void> {
    this.#holders -= 1;
    if (this.#holders <= 0) await this.close();
  }

  /** Closes it, or ends its opening; waits for 5 s at most, failures are logged. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#opening?.abort();
    if (handle?.close === undefined) return;
    try {
      await within(closeTimeoutMs, handle.close());
    } catch (error) {
      this.#warn(error, 'did not close cleanly');
    }
  }

  #reportUrl(dispatch: Dispatch): string | undefined {
    const address = this.#options.addressOf?.(this.provider.name);
    return address === undefined ? undefined : `${address}?key=${dispatch.idempotency_key}`;
  }

  #warn(error: unknown, what: string): void {
    const { provider } = this;
    this.#log.warn({ reason: loggedReason(provider, error) }, `provider ${provider.name} ${what}`);
  }
}

/** Describes an error in one line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The rest of a deadline is seldom a whole number, and AbortSignal.timeout refuses any other.
function endAfter(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(ms));
}

function late(message: string): () => ProviderError {
  const remedy = 'check the address in its settings, and whether the server answers';
  return () => new ProviderError('not_sent', message, { phase: 'deadline', remedy });
}

async function call(
  handle: ProviderHandle,
  dispatch: Dispatch,
  log: Log,
  reportUrl: string | undefined,
): Promise<Outcome> {
  try {
    const outputs: unknown = await handle.execute(dispatch.inputs, contextOf(dispatch, log, reportUrl));
    if (isPlainObject(outputs)) return { outcome: 'accepted', outputs };
    log.error({ answered: typeof outputs }, 'an adapter returned something other than a plain object');
  } catch (error) {
    const failure = error instanceof ProviderError ? failureOf(error) : undefined;
    if (failure !== undefined) return failure;
    log.error({ err: error }, 'an adapter threw an error without an outcome');
  }
  return { outcome: 'unknown', phase: 'adapter', message: 'the adapter did not report the outcome of the call' };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const dispatched = Symbol('dispatch');

interface Carrier {
  readonly [dispatched]: Dispatch;
}

// One accessor for all contexts. V8 makes the accessors of a literal again for every call and keeps their pairs in old
// space: all that the call references would stay with them until a full collection, copied by every small one.
const signal = {
  configurable: true,
  enumerable: true,
  get(this: Carrier): AbortSignal {
    return this[dispatched].signal;
  },
};
const idempotencyKey = {
  configurable: true,
  enumerable: true,
  get(this: Carrier): string {
    return this[dispatched].idempotency_key;
  },
};

/**
 * Makes the context of a call for an adapter. Signal and key are own members: a copy of the context has both, and code
 * that reads neither does not pay for them.
 */
function contextOf(dispatch: Dispatch, log: Log, report_url: string | undefined): ExecuteContext {
  const { emit, upstream } = dispatch;
  const isPlain = upstream === undefined && emit === undefined && report_url === undefined;
  const own = isPlain ? { log } : { log, ...given({ upstream, emit, report_url }) };
  const context = Object.defineProperty(own, dispatched, { value: dispatch });
  Object.defineProperty(context, 'signal', signal);
  return Object.defineProperty(context, 'idempotency_key', idempotencyKey) as unknown as ExecuteContext;
}
