import { readFileSync } from 'node:fs';
import { defineCommand, type Command } from '../../../kernel/index.ts';

const source = { name: 'source_id', description: 'src_…, see: orb sources list' };

/** `orb sources add-secret`: adds a secret beside those that serve. */
export const addSecret: Command = defineCommand({
  path: 'sources add-secret',
  summary: 'add a secret; the others serve on until they are removed or the overlap ends',
  args: [source],
  options: [
    { flag: '--file <file>', description: "The vendor's own secret; default: one is made and printed once" },
    { flag: '--overlap <seconds>', description: 'How long the others still serve; default: until they are removed' },
  ],
  async run(call) {
    const { file, overlap } = call.options;
    const body = {
      ...(typeof file === 'string' ? { secret: readFileSync(file, 'utf8').trimEnd() } : {}),
      ...(typeof overlap === 'string' ? { retire_others_after_s: Number(overlap) } : {}),
    };
    const path = `/sources/${encodeURIComponent(call.args[0] ?? '')}/secrets`;
    const added = await call
      .client()
      .request<{ readonly version: number; readonly secret?: string }>('POST', path, body);
    call.print(added, `secret ${added.version}${added.secret === undefined ? '' : `  ${added.secret}`}`);
  },
});

/** `orb sources remove-secret`: removes a secret, unless it is the last. */
export const removeSecret: Command = defineCommand({
  path: 'sources remove-secret',
  summary: 'remove a secret; the last one stays',
  args: [source, { name: 'version', description: 'Number of the secret' }],
  async run(call) {
    const [id = '', version = ''] = call.args;
    await call.client().request('DELETE', `/sources/${encodeURIComponent(id)}/secrets/${encodeURIComponent(version)}`);
    call.print({ source_id: id, version: Number(version), removed: true }, `removed secret ${version} of ${id}`);
  },
});
