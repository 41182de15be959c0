import { PlatformError } from '../../error.ts';
import { similarTo } from '../../tools/similar.ts';
import type { Provider } from './adapter.ts';
import type { ConfiguredProviders } from './binding.ts';

/** The configured providers; a reload replaces them. */
export class KnownProviders {
  now: ConfiguredProviders;

  constructor(configured: ConfiguredProviders) {
    this.now = configured;
  }

  adopt(configured: ConfiguredProviders): void {
    this.now = configured;
  }

  /** Finds what the inputs of a capability mean, as the first of its adapters that says it. */
  inputsOf(capability: string): Readonly<Record<string, string>> {
    const adapters = [...this.now.providers.values()].map(({ adapter }) => adapter);
    return adapters.find((adapter) => adapter.capability === capability && adapter.inputs !== undefined)?.inputs ?? {};
  }

  /** Finds a provider, its references resolved again. Throws 422 `invalid_provider`. */
  resolve(name: string): Provider {
    const provider = this.now.providers.get(name);
    if (provider !== undefined) return provider.renew();
    const meant = similarTo(name, this.now.providers.keys());
    const way = meant === undefined ? 'platform.json defines the providers' : `did you mean ${meant}?`;
    const detail = `there is no provider ${name}; ${way}`;
    throw new PlatformError('invalid_provider', detail, { errors: [{ pointer: '#/provider', detail }] });
  }
}
