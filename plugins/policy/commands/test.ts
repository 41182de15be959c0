import { defineCommand, type Command } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import type { TestResult } from '../toolchain/build.ts';
import { localFiles, pathOf } from './files.ts';
import { showDiagnostics, showTests } from './show.ts';

/** `orb policy test`: runs the `*_test.rego` of a local folder, or of the server's drafts; exit 1 when one fails. */
export const testPolicies: Command = defineCommand({
  path: 'policy test',
  summary: 'run the tests of a folder of policies',
  args: [{ name: 'path', description: 'Folder; default: the policies of ORB_HOME', optional: true }],
  options: [{ flag: '--drafts', description: "Tests the server's drafts on top of its active policies instead" }],
  async run(call) {
    const body = call.options['drafts'] === true ? { against: 'drafts' } : { files: localFiles(pathOf(call)) };
    const answer = await call
      .client()
      .request<{ passed: boolean; tests: readonly TestResult[]; diagnostics: readonly Diagnostic[] }>(
        'POST',
        '/policies/test',
        body,
      );
    const others = answer.diagnostics.filter(({ code }) => code !== 'test_failed');
    call.print(answer, [showDiagnostics(others), showTests(answer.tests)].filter(Boolean).join('\n'));
    return answer.passed ? 0 : 1;
  },
});
