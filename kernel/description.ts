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

/** What a description is made from. */
export interface DescriptionSource {
  readonly plugins: readonly {
    readonly name: string;
    readonly config: JsonSchema;
    readonly commands: readonly Command[];
  }[];
  readonly adapters: readonly Adapter[];
  /** The commands that ship. */
  readonly commands: readonly Command[];
  readonly problems: ProblemTable;
  readonly routes: readonly Route[];
}

/** Describes the program as it runs now. */
export function describeProgram({ plugins, adapters, commands, problems, routes }: DescriptionSource): Description {
  const all = [...commands, ...plugins.flatMap((plugin) => plugin.commands)];
  return {
    ...{ routes, problemsOf },
    commands: [...new Map(all.map((command) => [command.path, command])).values()],
    settings: platformFile,
    variables,
    plugins: plugins.map(({ name, config }) => ({ name, config })),
    adapters,
    problems: [...problems.values()],
  };
}
