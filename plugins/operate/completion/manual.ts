import { defineCommand, type Command, type Installation } from '../../../kernel/index.ts';

/** `orb man`: prints the manual page orb(1), with all shipped commands and their options. */
export const manual = defineCommand({
  path: 'man',
  summary: 'print the manual page',
  run({ env, installation, print }) {
    // As reproducible-builds.org says: a build gives the same page each time.
    const epoch = env['SOURCE_DATE_EPOCH'];
    const date = (epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)).toISOString().slice(0, 10);
    const page = manualPage(installation, date);
    print({ page }, page.trimEnd());
    return Promise.resolve();
  },
});

/** What a manual page is made of. */
export type Described = Pick<Installation, 'commands' | 'options' | 'version' | 'words'>;

/** Writes the manual page as roff with the macros of man(7). */
export function manualPage({ commands, options, version, words }: Described, date: string): string {
  const lines = [
    `.TH ORB 1 "${date}" "orb ${version}" "Agent Orb Platform"`,
    ...['.SH NAME', 'orb \\- run Orbs through providers and sign a receipt for each run'],
    ...['.SH SYNOPSIS', '.B orb', '.I command', '.RI [ options ]'],
    ...['.SH DESCRIPTION', ...description.map(text)],
    ...['.SH OPTIONS', 'Each command takes these options.'],
    ...[...options, jsonOption, helpOption].flatMap(optionLines),
    '.SH COMMANDS',
    ...words.flatMap(({ summary, word }) => wordLines(word, summary, commands)),
    ...['.SH ENVIRONMENT', ...variables.flatMap(([name, meaning]) => item(`\\fB${text(name)}\\fR`, meaning))],
    ...['.SH FILES', ...files.flatMap(([name, meaning]) => item(`\\fI${text(name)}\\fR`, meaning))],
    ...['.SH EXIT STATUS', ...codes.flatMap(([code, meaning]) => item(code, meaning))],
    ...['.SH SEE ALSO', text(more)],
  ];
  return `${lines.join('\n')}\n`;
}

const description = [
  'The server lets apps and AI agents send e-mail, call APIs and use tools. Policies decide what is allowed, providers can ' +
    'be changed while runs go on, and every call returns a signed receipt that anyone can verify offline.',
];
const jsonOption = { flag: '--json', description: 'print JSON' };
const helpOption = { flag: '--help', description: 'show the help of the command' };
const variables = [
  ['ORB_HOME', 'Home of the server, with data/ and policies/: the current folder unless set.'],
  ['ORB_URL', 'Address of the server that commands call.'],
  ['ORB_KEY', 'API key of commands that call the server: that of the home unless set.'],
] as const;
const files = [
  ['data/platform.json', 'The configuration, in the home of the server.'],
  ['data/state/admin.key', 'The first API key.'],
  ['policies/', 'The policies of the server, in Rego.'],
] as const;
const codes = [
  ['0', 'Done. Of a command that verifies: verified.'],
  ['1', 'The command failed, the server answered with a problem, or what was verified is wrong.'],
  ['64', 'The command line is wrong.'],
  ['69', 'The server cannot be reached.'],
  ['75', 'The server lost its store: start it again.'],
  ['78', 'The configuration is invalid.'],
] as const;
const more =
  'A running server has the documentation of its version at /docs, with all exit codes at /docs/reference/cli.';

function wordLines(word: string, summary: string, commands: readonly Command[]): readonly string[] {
  const members = commands.filter(({ path }) => path === word || path.startsWith(`${word} `));
  const isGroup = !members.some(({ path }) => path === word);
  return [`.SS orb ${text(word)}`, ...(isGroup ? [sentence(summary)] : []), ...members.flatMap(commandLines)];
}

function commandLines({ args = [], options = [], path, summary }: Command): readonly string[] {
  const shown = args.map(({ name, optional }) => ` \\fI${text(optional === true ? `[${name}]` : `<${name}>`)}\\fR`);
  const parts = [
    ...args.flatMap(({ choices = [], description: meaning, name }) =>
      item(`\\fI${text(name)}\\fR`, choices.length === 0 ? meaning : `${meaning}: ${choices.join(', ')}`),
    ),
    ...options.flatMap(optionLines),
  ];
  const head = ['.TP', `\\fBorb ${text(path)}\\fR${shown.join('')}`, sentence(summary)];
  return parts.length === 0 ? head : [...head, '.RS', ...parts, '.RE'];
}

function optionLines({ description: meaning, flag }: { flag: string; description: string }): readonly string[] {
  const [name = '', value] = flag.split(' ');
  return item(`\\fB${text(name)}\\fR${value === undefined ? '' : ` \\fI${text(value)}\\fR`}`, meaning);
}

function item(head: string, meaning: string): readonly string[] {
  return ['.TP', head, sentence(meaning)];
}

function sentence(words: string): string {
  return text(`${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`);
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Writes a text so that roff shows it as it is: groff_char(7). mandoc wants lines of 80 bytes at most. */
function text(plain: string): string {
  return plain
    .replaceAll(/[\\\-'"`^~]/g, (one) => escapes[one] ?? one)
    .replaceAll(/\P{ASCII}/gu, (one) => `\\[u${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
    .replaceAll(/(?=.{79})(.{1,78}) /g, '$1\n')
    .replaceAll(/^\./gm, '\\&.');
}
