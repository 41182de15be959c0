import { byTask, firstWord, summaryOf } from './command/command-group.ts';
import { defineCommand, type Command } from './command/command.ts';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import type { Branch, Entry, Flag } from './completion/branch.ts';
import { zshScript } from './completion/zsh.ts';
import { globalOptions } from './global-options.ts';

const scripts: Readonly<Record<string, (branches: readonly Branch[]) => string>> = {
  bash: bashScript,
  fish: fishScript,
  zsh: zshScript,
};
const shells = ['bash', 'zsh', 'fish'];

/** `orb completion`: prints a script of a shell that completes the words and options of all shipped commands. */
export const completion = defineCommand({
  path: 'completion',
  summary: 'print the completion script of a shell',
  args: [{ name: 'shell', description: 'the shell', choices: shells }],
  run({ args: [shell = ''], installation, print }) {
    const script = scripts[shell]?.(branchesOf(installation.commands)) ?? '';
    print({ shell, script }, script.trimEnd());
    return Promise.resolve();
  },
});

const always: readonly Flag[] = [
  ...globalOptions.map(({ flag, description }) => flagOf(flag, description)),
  flagOf('--help', 'show the help of the command'),
];

/** Lists what may follow `orb` and each of the words that stand after it. */
export function branchesOf(commands: readonly Command[]): readonly Branch[] {
  const tops = [...new Set(byTask(commands).map(({ path }) => firstWord(path)))];
  const words = tops.map((word) => ({ word, summary: summaryOf(word, commands) }));
  const root = {
    at: '',
    words: [...words, { word: 'help', summary: 'show the help of a command' }],
    flags: [...always, flagOf('--version', 'show the version')],
  };
  const groups = tops.filter((top) => !commands.some(({ path }) => path === top));
  return [
    root,
    { at: 'help', words, flags: always },
    ...groups.map((at) => ({ at, words: childrenOf(at, commands), flags: always })),
    ...commands.map((command) => branchOf(command, commands)),
  ];
}

function branchOf({ args = [], options = [], path }: Command, commands: readonly Command[]): Branch {
  const choices = (args[0]?.choices ?? []).map((word) => ({ word, summary: '' }));
  return {
    at: path,
    words: [...childrenOf(path, commands), ...choices],
    flags: [
      ...options.map(({ flag, description }) => flagOf(flag, description)),
      flagOf('--json', 'print JSON'),
      ...always,
    ],
  };
}

function childrenOf(at: string, commands: readonly Command[]): readonly Entry[] {
  return commands.flatMap(({ path, summary }) => {
    const rest = path.startsWith(`${at} `) ? path.slice(at.length + 1) : '';
    return rest === '' ? [] : [{ word: rest, summary }];
  });
}

function flagOf(flag: string, summary: string): Flag {
  const [name = '', value] = flag.split(' ');
  return { word: name, summary, takesValue: value !== undefined };
}
