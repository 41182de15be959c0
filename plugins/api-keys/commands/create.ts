import { defineCommand, table, type Command, type CommandCall } from '../../../kernel/index.ts';
import type { CreatedKey } from '../key.ts';

/** `orb keys create`: makes a key and prints it once. */
export const createKey: Command = defineCommand({
  path: 'keys create',
  summary: 'create an API key and print it once',
  options: [
    {
      flag: '--scope <scope>',
      description: 'What the key may do, e.g. orbs:execute; give it once per scope',
      repeat: true,
    },
    { flag: '--name <name>', description: 'What the key is for' },
    { flag: '--tenant <tenant>', description: 'Default: your own; another one needs *' },
    { flag: '--principal <id>', description: 'Whom it speaks for (rotation: the old one); default: somebody new' },
    {
      flag: '--mode <mode>',
      description: 'live or test; a test key is served by sandbox providers only; default: live',
    },
    {
      flag: '--expires <time>',
      description: 'When it stops working, RFC 3339 UTC, e.g. 2030-01-01T00:00:00Z; default: never',
    },
  ],
  async run(call) {
    const created = await call.client().request<CreatedKey>('POST', '/keys', bodyOf(call.options));
    call.print(created, show(created));
    call.note('Keep the key now: it is not shown again.');
  },
});

function bodyOf(options: CommandCall['options']): object {
  const { scope = [], name, tenant, principal, mode, expires } = options;
  const given = { name, tenant, principal, mode, expires_at: expires };
  // Absent options stay absent: the server's defaults and checks are the only ones.
  return { scopes: scope, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function show({ key, key_id, principal, tenant, scopes, mode, expires_at }: CreatedKey): string {
  return table([
    ['key', key],
    ['key_id', key_id],
    ['principal', principal],
    ['tenant', tenant],
    ['scopes', scopes.join(' ')],
    ['mode', mode],
    ['expires', expires_at ?? 'never'],
  ]);
}
