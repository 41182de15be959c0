import { defineCommand, type Command } from '../../../kernel/index.ts';
import type { FileDiff } from '../revisions/diff.ts';

/** `orb policy diff`: compares two revisions, or the active one with the drafts. */
export const diffPolicies: Command = defineCommand({
  path: 'policy diff',
  summary: 'compare two revisions, or the active one with the drafts',
  args: [
    { name: 'from', description: 'A revision; default: the active one', optional: true },
    { name: 'to', description: 'A revision; default: the drafts', optional: true },
  ],
  async run(call) {
    const client = call.client();
    const [from, to = 'drafts'] = call.args;
    const base = from ?? (await client.request<{ revision: string }>('GET', '/policies/-/status')).revision;
    const answer = await client.request<{ files: readonly FileDiff[] }>(
      'GET',
      `/policies/-/revisions/${base}/diff/${to}`,
    );
    const shown = answer.files.map(({ path, change, diff }) => `${change} ${path}\n${diff}`).join('\n\n');
    call.print(answer, shown === '' ? 'they are equal' : shown);
  },
});
