import type { Command, CommandGroup } from './command.ts';

/** Headings of `orb --help`, in the order in which it shows them. */
export const tasks = {
  run: 'Run Orbs',
  build: 'Build and publish',
  operate: 'Operate a server',
  access: 'Control access',
  observe: 'Observe',
  verify: 'Verify',
  shell: 'Shell',
} as const satisfies Readonly<Record<CommandGroup['task'], string>>;

// These come first under their heading, in this order.
const first = 'serve config doctor providers nodes init backup restore store'.split(' ');

/** Returns the heading of a command; commands without a group are last. */
export function headingOf({ group }: Command): string {
  return group === undefined ? 'Other' : tasks[group.task];
}

/** Sorts commands as `orb --help` shows them: by heading, and within a heading the first ones, then as they were. */
export function byTask(commands: readonly Command[]): readonly Command[] {
  const headings = Object.values<string>(tasks);
  const place = (list: readonly string[], word: string): number =>
    (list.indexOf(word) + list.length + 1) % (list.length + 1);
  const rank = (command: Command): number =>
    place(headings, headingOf(command)) * 100 + place(first, firstWord(command.path));
  return commands.toSorted((one, other) => rank(one) - rank(other));
}

/** Puts each command into the group that has its first word as name. */
export function grouped(groups: readonly CommandGroup[], commands: readonly Command[]): readonly Command[] {
  const named = new Map(groups.map((group) => [group.name, group]));
  return commands.map((command) => {
    const group = named.get(firstWord(command.path));
    return group === undefined ? command : Object.freeze({ ...command, group });
  });
}

/** Describes the commands that begin with a word: by the command that has only this word, else by their group. */
export function summaryOf(word: string, commands: readonly Command[]): string {
  const own = commands.find(({ path }) => path === word);
  const members = commands.filter(({ path }) => firstWord(path) === word);
  const names = members.map(({ path }) => path.slice(word.length + 1)).join(', ');
  return own?.summary ?? members.find(({ group }) => group?.summary !== undefined)?.group?.summary ?? names;
}

export function firstWord(path: string): string {
  return path.split(' ')[0] ?? path;
}
