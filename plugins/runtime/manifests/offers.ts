import type { Bindings } from '../provider/bindings.ts';
import type { RuntimeScope } from '../facts/scope.ts';
import { loggedReason } from '../outcome/provider-failure.ts';
import { PlatformError, unfit } from '../../../kernel/index.ts';
import { ProviderError, type Offer, type Provider } from '../../../kernel/adapter.ts';

/** The dependencies of listing offers; `resolve` finds a configured provider, and throws 422 `invalid_provider`. */
interface OffersOptions extends Pick<RuntimeScope, 'log'> {
  readonly bindings: Bindings;
  readonly resolve: (name: string) => Provider;
}

const timeoutMs = 10_000;

/**
 * Lists the tools that a configured provider offers, now; it need not serve an Orb. Throws 422 `invalid_provider` and 502
 * `probe_failed`.
 */
export async function offersOf(name: string, { bindings, resolve, log }: OffersOptions): Promise<readonly Offer[]> {
  const transport = bindings.transportOf(resolve(name));
  transport.hold();
  try {
    await transport.open(timeoutMs);
    const offers = await transport.offers(timeoutMs);
    if (offers !== undefined) return offers;
  } catch (error) {
    log.warn(
      { provider: name, reason: loggedReason(transport.provider, error) },
      `the tools of provider ${name} could not be listed`,
    );
    const reason = error instanceof ProviderError ? error.message : 'the log says why';
    const detail = `provider ${name} failed to list its tools: ${reason}`;
    throw new PlatformError('probe_failed', detail, {}, { cause: error });
  } finally {
    await transport.release();
  }
  const detail = `provider ${name} does not offer tools; import from a provider of an adapter that does`;
  throw unfit('invalid_provider', 'provider', detail);
}
