import { problemsOf } from './http/route/route-problem.ts';
import type { Route } from './http/route/route.ts';
import type { Command } from './cli/command/command.ts';
import type { ProblemType } from './error.ts';
import type { ProblemTable } from './problem-table.ts';
import type { Adapter } from './provider/adapter.ts';
import type { JsonSchema } from './tools/schema.ts';
import { platformFile, variables } from './config/settings.ts';

/** The parts of the running program, for pages that describe it. */
export interface Description {
  /** The routes that are served. */
  readonly routes: readonly Route[];
  /** Lists the codes of the problems that a route can answer. */
  readonly problemsOf: (route: Route) => readonly string[];
  /** The commands of the program and of its plugins, each once. */
  readonly commands: readonly Omit<Command, 'run'>[];
  /** Schema of `data/platform.json`. */
  readonly settings: JsonSchema;
  /** The environment variables of the program, with what they mean. */
  readonly variables: Readonly<Record<string, string>>;
  /** The plugins that run, with the schema of their `config`. */
  readonly plugins: readonly { readonly name: string; readonly config: JsonSchema }[];
  /** The adapters that a provider can name, shipped and external. */
  readonly adapters: readonly Omit<Adapter, 'open'>[];
  /** The problems that can be answered, in the order of statuses. */
  readonly problems: readonly ProblemType[];
}

/** What a description is made from; `commands`: those that ship. */
interface DescriptionSource extends Pick<Description, 'adapters' | 'routes'> {
  readonly plugins: readonly (Description['plugins'][number] & { readonly commands: readonly Command[] })[];
  readonly commands: readonly Command[];
  readonly problems: ProblemTable;
}

/** Describes the program as it runs now. */
export function describeProgram({ plugins, commands, problems, ...rest }: DescriptionSource): Description {
  const all = [...commands, ...plugins.flatMap((plugin) => plugin.commands)];
  return {
    ...{ ...rest, problemsOf, variables, settings: platformFile },
    commands: [...new Map(all.map((command) => [command.path, command])).values()],
    plugins: plugins.map(({ name, config }) => ({ name, config })),
    problems: [...problems.values()],
  };
}
