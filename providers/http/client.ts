import { defineProvider } from '../../kernel/adapter.ts';
import { isLoopbackHost } from '../../kernel/outbound.ts';
import { http } from './contract.ts';
import { config } from './exchange/settings.ts';

/**
 * Makes HTTP requests to the hosts that its configuration allows, for http.fetch and http.send. The method
 * distinguishes the two: each Orb's schema admits only its own methods. A send carries the key as Idempotency-Key, but
 * a target may ignore it; so the provider declares no idempotency, and an unknown send is never repeated.
 */
export default defineProvider({
  name: 'client',
  capability: http,
  about: 'Calls the HTTP services that you allow by host.',
  config,
  idempotency: { kind: 'none' },
  warningsOf: ({ allow }) =>
    allow
      .filter(({ host, plain }) => plain === true && !isLoopbackHost(host))
      .map(({ host }) => `allow permits calls to ${host} without TLS: requests and credentials are sent unencrypted`),
  open: async (scope) => (await import('./exchange/handle.ts')).openHandle(scope.config),
});
