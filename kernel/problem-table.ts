import { problems, type ProblemType } from './error.ts';
import { ownerFaults } from './tools/ownership.ts';

/** Problem types of an installation by their code, in the order of statuses: of the kernel and of running plugins. */
export type ProblemTable = ReadonlyMap<string, ProblemType>;

/** A plugin that declares problem types. */
interface ProblemOwner {
  readonly name: string;
  readonly problems: Readonly<Record<string, ProblemType>>;
}

/** Merges what the kernel and plugins declare; `problemFaults` has found no fault. */
export function problemTable(plugins: readonly ProblemOwner[]): ProblemTable {
  const rows = [problems, ...plugins.map((plugin) => plugin.problems)].flatMap((types) => Object.entries(types));
  return new Map(rows.sort(([, one], [, other]) => one.status - other.status || (one.code < other.code ? -1 : 1)));
}

/** Lists every problem type that two plugins, or a plugin and the kernel, declare, and every malformed one. */
export function problemFaults(plugins: readonly ProblemOwner[]): string[] {
  return ownerFaults(
    'problem',
    { ofKernel: Object.keys(problems), plugins },
    ({ problems: declared }) => Object.keys(declared),
    (code, { problems: declared }) => faultOf(code, declared[code] ?? {}),
  );
}

// A plugin in plain JavaScript may declare anything.
function faultOf(code: string, { code: own, status, title, retryable }: Partial<ProblemType>): string | undefined {
  if (own !== code) return 'was not created with defineProblems';
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(code))
    return 'needs a code of at most 64 lower-case letters, digits and underscores';
  if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599)
    return 'needs a status from 400 to 599';
  if (typeof title !== 'string' || title === '') return 'needs a title';
  return typeof retryable === 'boolean' ? undefined : 'needs `retryable`: true or false';
}
