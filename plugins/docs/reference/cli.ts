import type { Description } from '../../../kernel/index.ts';
import { code, table, words } from './table.ts';

type Command = Description['commands'][number];

/** Lists every command with its arguments and options, grouped by its first word. */
export function commandReference(commands: Description['commands']): string {
  const groups = Map.groupBy(commands, ({ path }) => path.split(' ')[0] ?? path);
  const overview = table(
    ['Command', 'What it does'],
    commands.map((command) => [code(callOf(command)), words(command.summary)]),
  );
  const parts = [...groups].map(([group, members]) => {
    const summary = members.find((member) => member.group?.summary !== undefined)?.group?.summary;
    const about = summary === undefined ? '' : `${words(summary)}.\n\n`;
    return `## orb ${group}\n\n${about}${members.map(section).join('\n')}`;
  });
  return [overview, ...parts].join('\n');
}

function section(command: Command): string {
  const { args = [], options = [], path, summary } = command;
  const title = path.includes(' ') ? `### orb ${path}\n\n` : '';
  const rows = [
    ...args.map(({ name, description, optional }) => [
      code(optional === true ? `[${name}]` : `<${name}>`),
      words(description),
    ]),
    ...options.map(({ flag, description, repeat, default: preset }) => [
      code(flag),
      words(description) +
        (repeat === true ? '; may be repeated' : '') +
        (preset === undefined ? '' : `. Default: ${code(preset)}`),
    ]),
  ];
  const head = `${title}${code(callOf(command))}: ${words(summary)}.\n`;
  return rows.length === 0 ? head : `${head}\n${table(['Argument or option', 'Meaning'], rows)}`;
}

function callOf({ path, args = [] }: Command): string {
  return ['orb', path, ...args.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`))].join(' ');
}
