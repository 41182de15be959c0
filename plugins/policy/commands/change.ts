import { defineCommand, type Command, type CommandCall } from '../../../kernel/index.ts';

interface Changed {
  readonly revision: string;
  readonly previous?: string;
}

/** `orb policy activate`: puts drafts, or an earlier revision, into force. */
export const activatePolicies: Command = defineCommand({
  path: 'policy activate',
  summary: 'put drafts, or an earlier revision, into force',
  args: [{ name: 'revision', description: 'A revision; default: the drafts', optional: true }],
  options: [
    { flag: '--draft <id>', description: 'Only this draft; give it once per draft', repeat: true },
    { flag: '--overwrite', description: 'Takes the place of a folder that differs from the active revision' },
    { flag: '--if-match <revision>', description: 'Refused unless this revision is active' },
    { flag: '--message <text>', description: 'Why' },
  ],
  run: (call) =>
    change(call, '/policies/-/activate', {
      ...(call.args[0] === undefined ? {} : { revision: call.args[0] }),
      ...(call.options['draft'] === undefined ? {} : { drafts: call.options['draft'] }),
    }),
});

/** `orb policy rollback`: puts the revision that was in force before back into force. */
export const rollbackPolicies: Command = defineCommand({
  path: 'policy rollback',
  summary: 'put the revision that was in force before back into force',
  options: [
    { flag: '--overwrite', description: 'Takes the place of a folder that differs from the active revision' },
    { flag: '--message <text>', description: 'Why' },
  ],
  run: (call) => change(call, '/policies/-/rollback', {}),
});

async function change(call: CommandCall, path: string, body: object): Promise<void> {
  const { overwrite, message, ifMatch } = call.options;
  const asked = {
    ...body,
    ...(overwrite === true ? { overwrite } : {}),
    ...(message === undefined ? {} : { message }),
  };
  const headers: Record<string, string> = typeof ifMatch === 'string' ? { 'If-Match': `"${ifMatch}"` } : {};
  const changed = await call.client().request<Changed>('POST', path, asked, headers);
  call.print(changed, `${changed.revision} is in force (before: ${changed.previous ?? 'none'})`);
}
