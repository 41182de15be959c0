/** The key that a provider is handed: tests that kill the program find by it which run a vendor has taken. */
export { providerKey } from '../../plugins/runtime/facts/provider-key.ts';
