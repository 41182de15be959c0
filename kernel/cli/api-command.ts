import { defineCommand, type Command, type CommandCall, type CommandOption } from './command.ts';
import { table } from './table.ts';

/** A command that is one call of the API and a print of the answer: a row of data instead of a file. */
export interface ApiCommand<T> extends Omit<Command, 'run'> {
  readonly method: 'GET' | 'POST';
  /** `/runs/{run_id}`; the arguments fill it, in order. */
  readonly route: string;
  /** Options, by camelCase name, that become members of the query, by the name there. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: (call: CommandCall) => object;
  /** Formats the answer for a person. */
  show(answer: T): string;
}

/** Options of a list that pages by cursor. */
export const pageOptions: readonly CommandOption[] = [
  { flag: '--limit <n>', description: 'at most so many, up to 100', default: '20' },
  { flag: '--cursor <cursor>', description: 'go on where a list ended' },
];

/** Makes such a command. A list that has more to show says how to go on. */
export function apiCommand<T extends object>({
  method,
  route,
  query = {},
  body,
  show,
  ...command
}: ApiCommand<T>): Command {
  return defineCommand({
    ...command,
    async run(call) {
      const path = filled(route, call.args) + queryOf(query, call.options);
      const answer = await call.client().request<T>(method, path, body?.(call));
      call.print(answer, show(answer));
      if ('next_cursor' in answer) call.note(`there are more; go on with --cursor ${String(answer.next_cursor)}`);
    },
  });
}

/** Lays out a list under its head; an empty one is `none`. */
export function listing(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? 'none' : table([head, ...rows]);
}

function filled(route: string, args: CommandCall['args']): string {
  let at = 0;
  return route.replace(/\{\w+\}/g, () => encodeURIComponent(args[at++] ?? ''));
}

function queryOf(names: Readonly<Record<string, string>>, options: CommandCall['options']): string {
  const given = new URLSearchParams();
  for (const [option, name] of Object.entries(names)) {
    const value = options[option];
    if (typeof value === 'string') given.set(name, value);
  }
  return given.size === 0 ? '' : `?${given.toString()}`;
}
