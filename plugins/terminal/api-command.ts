import { readFileSync } from 'node:fs';
import { defineCommand, type Command, type CommandCall } from '../../kernel/index.ts';
import { textOn, type Shown } from './table.ts';

/** A command, as data, that makes one call of the API and prints the answer; it needs no file of its own. */
export interface ApiCommand<T> extends Omit<Command, 'run'> {
  /** `GET /runs/{run_id}`; the arguments fill it, in order. */
  readonly route: string;
  /**
   * Options, by camelCase name, that become query parameters of another name. Of a GET and a DELETE every option becomes
   * a parameter, named as the option is.
   */
  readonly query?: Readonly<Record<string, string>>;
  /** The body. An option `--if-match` becomes the header without further code. */
  readonly body?: (call: CommandCall) => object;
  /** Member of the answer that holds the list; the list is read page by page to its end. */
  readonly whole?: string;
  /** Printed by `--json` in place of an answer without a body. */
  readonly value?: (call: CommandCall) => object;
  /** Formats the answer for a person; a list by `listing`. */
  show(answer: T, call: CommandCall): string | Shown;
  /** A hint for standard error. */
  readonly hint?: (answer: T, call: CommandCall) => string | undefined;
  /** Exit code of an answer; 0 without it. */
  readonly exit?: (answer: T, call: CommandCall) => number;
}

/** Options of a list that pages by cursor. */
export const pageOptions: NonNullable<Command['options']> = [
  { flag: '--limit <n>', description: 'maximum number of entries, up to 100', default: '20' },
  { flag: '--cursor <cursor>', description: 'continue after the previous page' },
];

/** Makes such a command. If a list has more items, a note says how to continue. */
export function apiCommand<T extends object>(rows: ApiCommand<T>): Command {
  const { route, query = {}, body, whole, value, show, hint, exit, ...command } = rows;
  const [method = '', template = ''] = route.split(' ');
  const parameters = /^(GET|DELETE)$/.test(method) ? { ...ownNames(rows), ...query } : query;
  return defineCommand({
    ...command,
    async run(call) {
      const asked = queryOf(parameters, call.options);
      const place = filled(template, call.args);
      const path = place + (asked.size === 0 ? '' : `?${asked.toString()}`);
      const first =
        whole === undefined
          ? await call.client().request<T>(method, path, body?.(call), condition(call))
          : ({ [whole]: await everyPage(call, path, whole) } as T);
      const answer = await filledPage(call, first, place, asked);
      call.print(value?.(call) ?? answer, textOn(call.screen, show(answer, call)));
      const said = hint?.(answer, call);
      if (said !== undefined) call.note(said);
      else if (isPart(answer)) call.note(`there are more entries; continue with --cursor ${answer.next_cursor}`);
      return exit?.(answer, call);
    },
  });
}

/** Reads the file that an option names, without its last line end; undefined without the option. */
export function fileOption(option: CommandCall['options'][string]): string | undefined {
  return typeof option === 'string' ? readFileSync(option, 'utf8').trimEnd() : undefined;
}

/** Answers the header of `--if-match`, if it is given. */
export function condition({ options: { ifMatch } }: CommandCall): Readonly<Record<string, string>> {
  return typeof ifMatch === 'string' ? { 'if-match': `"${ifMatch}"` } : {};
}

/** Reads a list page by page; `member`: the one that holds it in the answers. */
export async function everyPage<T>({ client }: CommandCall, path: string, member: string): Promise<readonly T[]> {
  const all: T[] = [];
  let from = '';
  for (;;) {
    const page = await client().request<Readonly<Record<string, unknown>>>('GET', `${path}?limit=100${from}`);
    all.push(...(page[member] as readonly T[]));
    if (!isPart(page)) return all;
    from = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

// A server ends a page that a filter leaves short after some thousand rows; so many more pages are asked for.
const mostPages = 100;

// Reads on until the page has as many items as were asked for, the list ends, or many pages were read.
async function filledPage<T extends object>(
  { client }: CommandCall,
  first: T,
  path: string,
  asked: URLSearchParams,
): Promise<T> {
  if (!isPart(first)) return first;
  const member = Object.entries(first).find(([, value]) => Array.isArray(value))?.[0] ?? '';
  let page: object = first;
  const items = (): readonly unknown[] => (page as Readonly<Record<string, readonly unknown[]>>)[member] ?? [];
  const all = [...items()];
  const wanted = Number(asked.get('limit') ?? 0);
  for (let pages = 1; isPart(page) && all.length < wanted && pages < mostPages; pages++) {
    const rest = new URLSearchParams(asked);
    rest.set('limit', String(wanted - all.length));
    rest.set('cursor', page.next_cursor);
    page = await client().request<object>('GET', `${path}?${rest.toString()}`);
    all.push(...items());
  }
  // The last page says how the list goes on.
  return { ...page, [member]: all } as T;
}

function isPart(answer: unknown): answer is { readonly next_cursor: string } {
  return typeof answer === 'object' && answer !== null && 'next_cursor' in answer;
}

function filled(route: string, args: CommandCall['args']): string {
  let at = 0;
  return route.replace(/\{\w+\}/g, () => encodeURIComponent(args[at++] ?? ''));
}

// Names each option as a parameter: `--catch-up` is the option `catchUp`, and the parameter `catch_up`.
function ownNames({ options = [] }: Pick<Command, 'options'>): Readonly<Record<string, string>> {
  const words = options.map(({ flag }) => (flag.split(' ')[0] ?? '').slice(2)).filter((word) => word !== 'if-match');
  const optionOf = (word: string): string => word.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(words.map((word) => [optionOf(word), word.replaceAll('-', '_')]));
}

function queryOf(names: Readonly<Record<string, string>>, options: CommandCall['options']): URLSearchParams {
  const asked = new URLSearchParams();
  for (const [option, name] of Object.entries(names)) {
    const value = options[option];
    if (typeof value === 'string') asked.set(name, value);
    if (value === true) asked.set(name, 'true');
  }
  return asked;
}
