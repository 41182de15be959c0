import { defineCommand, type Command, type Installation } from '../../../kernel/index.ts';
import type { Branch, Entry, Flag } from './branch.ts';

const scripts: Readonly<Record<string, () => Promise<(branches: readonly Branch[]) => string>>> = {
  bash: async () => (await import('./bash.ts')).bashScript,
  zsh: async () => (await import('./zsh.ts')).zshScript,
  fish: async () => (await import('./fish.ts')).fishScript,
};

/** `orb completion`: prints a script of a shell that completes the words and options of all shipped commands. */
export const completion = defineCommand({
  path: 'completion',
  summary: 'print the completion script of a shell',
  args: [{ name: 'shell', description: 'the shell', choices: Object.keys(scripts) }],
  async run({ args: [shell = ''], installation, print }) {
    const write = await scripts[shell]?.();
    const script = write?.(branchesOf(installation)) ?? '';
    print({ shell, script }, script.trimEnd());
  },
});

/** Lists what may follow `orb` and each of the words that stand after it. */
export function branchesOf({
  commands,
  options,
  words,
}: Pick<Installation, 'commands' | 'options' | 'words'>): readonly Branch[] {
  const always = [...flagsOf(options), flagOf('--help', 'show the help of the command')];
  const root = {
    at: '',
    words: [...words, { word: 'help', summary: 'show the help of a command' }],
    flags: [...always, flagOf('--version', 'show the version')],
  };
  const groups = words.map(({ word }) => word).filter((word) => !commands.some(({ path }) => path === word));
  return [
    root,
    { at: 'help', words, flags: always },
    ...groups.map((at) => ({ at, words: childrenOf(at, commands), flags: always })),
    ...commands.map((command) => branchOf(command, commands, always)),
  ];
}

function branchOf(
  { args = [], options = [], path }: Command,
  commands: readonly Command[],
  always: readonly Flag[],
): Branch {
  const choices = (args[0]?.choices ?? []).map((word) => ({ word, summary: '' }));
  return {
    at: path,
    words: [...childrenOf(path, commands), ...choices],
    flags: [...flagsOf(options), flagOf('--json', 'print JSON'), ...always],
  };
}

function childrenOf(at: string, commands: readonly Command[]): readonly Entry[] {
  return commands.flatMap(({ path, summary }) => {
    const rest = path.startsWith(`${at} `) ? path.slice(at.length + 1) : '';
    return rest === '' ? [] : [{ word: rest, summary }];
  });
}

function flagsOf(options: Installation['options']): readonly Flag[] {
  return options.map(({ flag, description }) => flagOf(flag, description));
}

function flagOf(flag: string, summary: string): Flag {
  const [name = '', value] = flag.split(' ');
  return { word: name, summary, takesValue: value !== undefined };
}
