import { definePlugin, whenKnown, grouped } from '../../kernel/index.ts';
import { ensureAdminKey } from './admin-key.ts';
import { keyCommands } from './commands.ts';
import { keyNames, principals } from './contract.ts';
import { explainKey } from './explain.ts';
import { expiringKeys } from './expiring.ts';
import { findableKeys } from './findable.ts';
import { createRevokedListeners, followKeys } from './follow.ts';
import { createKeyring } from './keyring.ts';
import { createLastUse } from './last-use.ts';
import { ownCaller, platformCaller } from './platform-key.ts';
import { keyRoutes } from './routes/routes.ts';
import apiKeysStore from './store.ts';
import { problems } from './problems.ts';
import { callerNames, runtime, credential, revocations } from '../runtime/contract.ts';

/** Authenticates callers by API key; makes, shows and revokes keys; makes the first key. */
export default definePlugin({
  name: 'api-keys',
  ids: ['key'],
  problems,
  scopes: {
    'keys:manage': {
      title: "Create, list and revoke the tenant's keys; grants only scopes the key itself holds",
      keyAgain: true,
    },
  },
  provides: { principals, credential, keyNames, callerNames, revocations },
  commands: grouped([{ name: 'keys', task: 'access', summary: 'create, list and revoke API keys' }], keyCommands),
  store: apiKeysStore,
  requires: { runtime },
  async start({ hooks, services, store, scopes, stateDir, log, clock, ids }) {
    const { runtime: runs } = services;
    const reads = store.reads(apiKeysStore);
    const lastUse = createLastUse(store, log);
    const keyring = createKeyring(clock, (keyId, at) => lastUse.note(keyId, at), await reads.unrevoked());
    const revoked = createRevokedListeners(log);
    followKeys(store, reads, { keyring, revoked });
    const issuer = { store, keyring, ids, clock, runtime: runs };
    runs.concern(expiringKeys(reads, clock));
    for (const one of findableKeys(reads)) runs.findable(one);
    hooks.authenticate.tap('api-keys', keyring.authenticate);
    hooks.explainCredential.tap('api-keys', (credential) =>
      credential.cookie === true ? undefined : explainKey(reads, clock, credential),
    );
    hooks.ready.tap('api-keys', () => ensureAdminKey({ ...issuer, reads, stateDir, log }));
    return {
      services: {
        principals: {
          ...{ find: reads.findPrincipal, first: reads.firstPrincipal },
          callers: async (id) =>
            (await reads.ofPrincipal(id)).flatMap(({ key_id }) => keyring.find(key_id, { unexpired: true }) ?? []),
          platform: (tenant) => platformCaller({ ...issuer, reads }, tenant),
          own: (tenant, caller) => ownCaller({ ...issuer, reads }, tenant, caller),
        },
        credential: keyring.find,
        keyNames: (keyId) => whenKnown(reads.find(keyId), (key) => key?.name),
        callerNames: (by, id) =>
          by === 'key_id'
            ? whenKnown(reads.find(id), (key) => key?.name)
            : whenKnown(reads.findPrincipal(id), (principal) => principal?.name),
        revocations: { onRevoked: revoked.onRevoked },
      },
      routes: keyRoutes({ ...issuer, reads, scopes, revoked }),
      stop: () => lastUse.settled(),
    };
  },
});
