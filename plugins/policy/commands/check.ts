import { defineCommand, type Command } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import type { TestResult } from '../toolchain/build.ts';
import { localFiles, pathOf } from './files.ts';
import { showDiagnostics } from './show.ts';

/** What `POST /policies/validate` answers. */
interface Validated {
  readonly valid: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly policies: readonly object[];
  readonly tests: readonly TestResult[];
}

/** `orb policy check`: takes local files through every gate of the server; exit 1 when they do not pass. */
export const checkPolicies: Command = defineCommand({
  path: 'policy check',
  summary: 'check a folder of policies, or one file, and change nothing',
  args: [{ name: 'path', description: 'Folder or file; default: the policies of ORB_HOME', optional: true }],
  async run(call) {
    const files = localFiles(pathOf(call));
    const answer = await call.client().request<Validated>('POST', '/policies/validate', { files });
    const good = `${answer.policies.length} policies, ${answer.tests.length} tests: all gates passed`;
    call.print(answer, [showDiagnostics(answer.diagnostics), answer.valid ? good : ''].filter(Boolean).join('\n'));
    return answer.valid ? 0 : 1;
  },
});
