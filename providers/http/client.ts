import { defineProvider } from '../../kernel/index.ts';
import { http } from './contract.ts';
import { openHandle } from './exchange/handle.ts';
import { config } from './exchange/settings.ts';

/**
 * Makes HTTP requests to the hosts its configuration allows, for http.fetch and http.send: which one it is, the method
 * says, and each Orb's schema admits its own methods only. The key goes along as Idempotency-Key, but nothing is known
 * of whether a target honours it; so it is declared as no support, and an unknown send is never repeated.
 */
export default defineProvider({
  name: 'client',
  capability: http,
  config,
  idempotency: { kind: 'none' },
  open: async (scope) => openHandle(scope.config),
});
