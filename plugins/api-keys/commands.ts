import { given, type Command } from '../../kernel/index.ts';
import { apiCommand, listing, record, optionsOf } from '../terminal/contract.ts';
import type { CreatedKey, KeySummary } from './key.ts';

/** All commands of API keys. */
export const keyCommands: readonly Command[] = [
  apiCommand<CreatedKey>({
    path: 'keys create',
    summary: 'create an API key and print it once',
    options: optionsOf({
      '--scope <scope>': {
        description: 'What the key may do, e.g. orbs:execute; give it once per scope',
        repeat: true,
      },
      '--name <name>': 'What the key is for',
      '--tenant <tenant>': 'Default: your own tenant; another one needs *',
      '--principal <id>': 'The caller it acts for (rotation: the old one); default: a new one',
      '--mode <mode>': 'live or test; a test key is served by sandbox providers only; default: live',
      '--expires <time>': {
        description: 'When it expires: 30d, 2030-01-31 (UTC) or RFC 3339; default: never',
        time: 'future',
      },
    }),
    route: 'POST /keys',
    body: ({ options: { scope = [], name, tenant, principal, mode, expires } }) =>
      given({ scopes: scope, name, tenant, principal, mode, expires_at: expires }),
    show: ({ key, key_id, principal, tenant, scopes, mode, expires_at }) =>
      record([
        ['key', key],
        ['key_id', key_id],
        ['principal', principal],
        ['tenant', tenant],
        ['scopes', scopes.join(' ')],
        ['mode', mode],
        ['expires', expires_at ?? 'never'],
      ]),
    hint: () => 'Keep the key now: it is not shown again.',
  }),
  apiCommand<{ keys: readonly KeySummary[] }>({
    path: 'keys list',
    summary: 'list API keys, newest first',
    route: 'GET /keys',
    whole: 'keys',
    show: ({ keys }) =>
      listing(
        ['KEY_ID', 'PREFIX', 'NAME', 'TENANT', 'PRINCIPAL', 'SCOPES', 'LAST USED', 'EXPIRES'],
        keys.map(({ key_id, prefix, name, tenant, principal, scopes, last_used_at, expires_at, revoked_at }) => [
          ...[key_id, prefix, name, tenant, principal, scopes.join(' '), last_used_at ?? 'never'],
          revoked_at === undefined ? (expires_at ?? 'never') : `revoked ${revoked_at}`,
        ]),
      ),
  }),
  apiCommand({
    path: 'keys revoke',
    summary: 'revoke an API key at once',
    confirm: 'the key stops working at once',
    args: [{ name: 'key_id', description: 'key_…, as `orb keys list` shows it' }],
    route: 'DELETE /keys/{key_id}',
    value: ({ args: [key_id] }) => ({ key_id, revoked: true }),
    show: (_, { args: [id = ''] }) => `${id} is revoked`,
  }),
  apiCommand<{ readonly scopes: readonly { scope: string; title: string; grantable: boolean }[] }>({
    path: 'keys scopes',
    summary: 'list the scopes a key can have',
    route: 'GET /keys/scopes',
    show: ({ scopes }) =>
      listing(
        ['SCOPE', 'YOURS TO GRANT', 'WHAT IT ALLOWS'],
        scopes.map(({ scope, grantable, title }) => [scope, grantable ? 'yes' : 'no', title]),
      ),
  }),
];
