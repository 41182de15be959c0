import { problems, type ProblemType } from './error.ts';

/** Problem types of an installation by their code, in the order of statuses: of the kernel and of running plugins. */
export type ProblemTable = ReadonlyMap<string, ProblemType>;

type ProblemTypes = Readonly<Record<string, ProblemType>>;

/** A plugin that declares problem types. */
export interface ProblemOwner {
  readonly name: string;
  readonly problems: ProblemTypes;
}

/** Merges what the kernel and plugins declare; `problemFaults` has found no fault. */
export function problemTable(plugins: readonly ProblemOwner[]): ProblemTable {
  const rows = [problems, ...plugins.map((plugin) => plugin.problems)].flatMap((types) => rowsOf(types));
  return new Map(rows.sort(([, one], [, other]) => one.status - other.status || (one.code < other.code ? -1 : 1)));
}

/** Lists every problem type that two plugins, or a plugin and the kernel, declare, and every malformed one. */
export function problemFaults(plugins: readonly ProblemOwner[]): string[] {
  const owners = new Map(Object.keys(problems).map((code) => [code, 'the kernel']));
  return plugins.flatMap(({ name, problems: declared }) =>
    rowsOf(declared).flatMap(([code, type]) => {
      const owner = owners.get(code);
      owners.set(code, `plugins.${name}`);
      const fault = faultOf(code, type);
      if (fault !== undefined) return [`plugins.${name}: the problem ${code} ${fault}`];
      return owner === undefined ? [] : [`plugins.${name}: the problem ${code} belongs to ${owner}`];
    }),
  );
}

function rowsOf(types: ProblemTypes): (readonly [string, ProblemType])[] {
  return Object.entries(types);
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
