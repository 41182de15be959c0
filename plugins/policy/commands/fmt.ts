import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, type Command } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import { localFiles, pathOf } from './files.ts';
import { showDiagnostics } from './show.ts';

/** What `POST /policies/format` answers. */
interface Formatted {
  readonly files: readonly { readonly path: string; readonly source: string; readonly changed: boolean }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `orb policy fmt`: names the files that are not formatted, and writes them with `--write`. */
export const formatPolicies: Command = defineCommand({
  path: 'policy fmt',
  summary: 'format policies; exit 1 when one is not formatted and --write is not given',
  args: [{ name: 'path', description: 'Folder or file; default: the policies of ORB_HOME', optional: true }],
  options: [{ flag: '--write', description: 'Writes the formatted files' }],
  async run(call) {
    const path = pathOf(call);
    const files = localFiles(path).filter((file) => file.path.endsWith('.rego'));
    const answer = await call.client().request<Formatted>('POST', '/policies/format', { files });
    const changed = answer.files.filter((file) => file.changed);
    const write = call.options['write'] === true;
    if (write)
      for (const file of changed)
        writeFileSync(statSync(path).isDirectory() ? join(path, file.path) : path, file.source);
    call.print(answer, [showDiagnostics(answer.diagnostics), ...changed.map((file) => file.path)].join('\n').trim());
    return answer.diagnostics.length > 0 || (changed.length > 0 && !write) ? 1 : 0;
  },
});
