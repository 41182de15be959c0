import { defineCommand, type Command } from '../../../kernel/index.ts';

/** `orb keys revoke`: ends a key at once; its principal stays. */
export const revokeKey: Command = defineCommand({
  path: 'keys revoke',
  summary: 'revoke an API key at once',
  args: [{ name: 'key_id', description: 'key_…, as `orb keys list` shows it' }],
  async run(call) {
    const key_id = call.args[0] ?? '';
    await call.client().request('DELETE', `/keys/${encodeURIComponent(key_id)}`);
    call.print({ key_id, revoked: true }, `${key_id} is revoked`);
  },
});
