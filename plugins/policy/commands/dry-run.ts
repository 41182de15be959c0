import { readFileSync } from 'node:fs';
import { defineCommand, type Command } from '../../../kernel/index.ts';
import { localFiles } from './files.ts';

/** What `POST /dry-run` answers, as far as it is shown. */
interface Answer {
  readonly decision: {
    readonly allow: boolean;
    readonly policies: readonly string[];
    readonly reasons?: readonly { readonly code: string; readonly policy?: string; readonly message?: string }[];
  };
  readonly same_as_active?: boolean;
  readonly missing_input: readonly string[];
  readonly trace?: string;
  readonly output?: string;
}

/** `orb policy dry-run`: asks what would be decided; exit 0 allowed, 1 denied. */
export const dryRunPolicies: Command = defineCommand({
  path: 'policy dry-run',
  summary: 'ask what the policies would decide of an input, and why',
  args: [
    { name: 'action', description: 'execute, swap or publish' },
    { name: 'input', description: 'File with the envelope as JSON' },
  ],
  options: [
    { flag: '--against <what>', description: 'active, drafts or a revision; default: active' },
    { flag: '--files <folder>', description: 'A local folder instead' },
    { flag: '--explain', description: 'Prints the trace' },
  ],
  async run(call) {
    const { against, files, explain } = call.options;
    const [action, input = ''] = call.args;
    const answer = await call.client().request<Answer>('POST', '/dry-run', {
      action,
      input: JSON.parse(readFileSync(input, 'utf8')) as unknown,
      ...(typeof against === 'string' ? { against } : {}),
      ...(typeof files === 'string' ? { files: localFiles(files) } : {}),
      ...(explain === true ? { explain: 'full' } : {}),
    });
    call.print(answer, show(answer));
    return answer.decision.allow ? 0 : 1;
  },
});

function show({ decision, same_as_active, missing_input, trace, output }: Answer): string {
  const reasons = (decision.reasons ?? []).map(({ code, policy = '', message = '' }) =>
    [' ', code, policy, message].join(' ').trimEnd(),
  );
  return [
    decision.allow ? `ALLOWED by ${decision.policies.join(', ')}` : 'DENIED',
    ...reasons,
    ...(same_as_active === undefined
      ? []
      : [`the active revision decides ${same_as_active ? 'the same' : 'otherwise'}`]),
    ...(missing_input.length === 0 ? [] : [`the input lacks ${missing_input.join(', ')}`]),
    ...[output, trace].filter((text) => text !== undefined && text !== ''),
  ].join('\n');
}
