import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Argument, Command as Program, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigError, exitConfig } from '../error.ts';
import { stateDirOf } from '../config/state-dir.ts';
import { storePlaceOf } from '../config/config.ts';
import { given as present } from '../tools/given.ts';
import { version } from '../tools/version.ts';
import { ClientError, createClient, type Client } from './command/client.ts';
import { byTask, headingOf, summaryOf, tasks } from './command/command-group.ts';
import type { Command, CommandArgument, CommandCall, CommandOption } from './command/command.ts';
import { askPerson } from './command/confirm.ts';
import { failureLine, usageLine } from './failure.ts';
import { environmentOf, globalOptions, markKeyIds, unmarked } from './global-options.ts';
import { installationOf } from './installation.ts';
import { screenOf, type Progress } from './command/screen.ts';
import { readTime, timeHint, type TimeKind } from './command/times.ts';
import type { Builtin } from '../boot/loaded.ts';

/** Exit code of a command that was called wrongly (EX_USAGE of sysexits.h). */
const exitUsage = 64;
/** Exit code of a server that cannot be reached (EX_UNAVAILABLE). */
const exitUnavailable = 69;

/** The members of a call that are the same for every command. */
type Given = Pick<CommandCall, 'bar' | 'env' | 'facts' | 'installation' | 'modules' | 'store'>;

/** Runs one command of `orb` by its words and resolves to the exit code. Problems go to standard error. */
export async function runProgram(
  argv: readonly string[],
  commands: readonly Command[],
  builtin: Builtin,
): Promise<number> {
  let code = 0;
  const program = new Program('orb')
    .description('Runs Orbs through providers and signs a receipt for each run.')
    .version(version)
    .exitOverride();
  for (const { flag, description } of globalOptions) program.option(flag, description);
  const env = environmentOf(argv, process.env);
  const given = {
    ...present({ bar: process.stderr.isTTY ? builtin.progress?.(process.stderr) : undefined }),
    env,
    installation: installationOf(builtin, commands, env),
    store: () => storePlaceOf(env, process.cwd(), builtin.plugins),
    facts: builtin.plugins.flatMap((plugin) => plugin.facts),
    modules: builtin.plugins.flatMap(({ store }) => (typeof store === 'object' ? [store] : [])),
  };
  // Errors are printed below, in one line.
  program.configureOutput({ outputError: () => undefined }).configureHelp({ showGlobalOptions: true });
  for (const command of byTask(commands))
    addCommand(program, command, async (args, options) => {
      const call = callOf(command, { ...given, args, options });
      code = (await confirmedRun(command, call).finally(() => call.bar?.clear())) ?? 0;
    });
  for (const child of program.commands) child.description(summaryOf(child.name(), commands));
  program.commandsGroup(`${tasks.shell}:`).helpCommand(true);
  try {
    await program.parseAsync(markKeyIds(argv), { from: 'user' });
    return code;
  } catch (error) {
    return told(error, argv, commands);
  }
}

type Run = (args: CommandCall['args'], options: CommandCall['options']) => Promise<void>;

function addCommand(program: Program, command: Command, run: Run): void {
  const words = command.path.split(' ');
  program.commandsGroup(`${headingOf(command)}:`);
  const leaf = words.reduce(childOf, program).description(command.summary).exitOverride();
  for (const argument of command.args ?? []) leaf.addArgument(argumentOf(argument));
  for (const option of command.options ?? []) leaf.addOption(optionOf(option));
  leaf.option('--json', 'print JSON');
  leaf.action(async (...given: unknown[]) => {
    // Commander hands over the arguments, then the options, then itself.
    const args = (given.slice(0, -2) as (string | undefined)[]).map(unmarked);
    const { ca, home: _home, ...read } = leaf.optsWithGlobals<CommandCall['options']>();
    if (typeof ca === 'string') trustCa(ca);
    const options = Object.fromEntries(Object.entries(read).map(([name, value]) => [name, unmarked(value)]));
    await run(args, options);
  });
}

async function confirmedRun(command: Command, call: CommandCall): Promise<number | void> {
  const { confirm, path } = command;
  if (confirm === undefined || call.options['yes'] === true) return command.run(call);
  const said = `${path} cannot be undone: ${confirm}.`;
  const answer = await askPerson(`${said} Continue?`, { input: process.stdin, output: process.stderr });
  if (answer === 'yes') return command.run({ ...call, options: { ...call.options, yes: true } });
  call.note(answer === 'no' ? 'orb: cancelled, nothing was changed' : `orb: ${said} Add --yes to confirm`);
  return answer === 'no' ? 1 : exitUsage;
}

function childOf(parent: Program, word: string): Program {
  return parent.commands.find((candidate) => candidate.name() === word) ?? parent.command(word).exitOverride();
}

function argumentOf({ name, description, optional, choices, time }: CommandArgument): Argument {
  const argument = new Argument(optional === true ? `[${name}]` : `<${name}>`, description);
  if (time !== undefined) argument.argParser((value: string) => timeOf(value, time));
  return choices === undefined ? argument : argument.choices(choices);
}

function timeOf(value: string, kind: TimeKind): string {
  const time = readTime(value, kind, Date.now());
  if (time === undefined) throw new InvalidArgumentError(timeHint(kind));
  return time;
}

function optionOf({ flag, description, repeat, default: preset, time }: CommandOption): Option {
  const option = new Option(flag, description);
  if (time !== undefined) option.argParser((value: string) => timeOf(value, time));
  if (repeat === true)
    option.argParser((value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value]);
  return preset === undefined ? option : option.default(preset);
}

function callOf({ path }: Command, given: Given & Pick<CommandCall, 'args' | 'options'>): CommandCall {
  const { bar, env, options } = given;
  const stateDir = stateDirOf(env, process.cwd());
  const isJson = options['json'] === true;
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    bar?.clear();
    stream.write(`${text}\n`);
  };
  return {
    ...given,
    ...present({ screen: isJson ? undefined : screenOf(process.stdout) }),
    stateDir,
    client: () => waiting(createClient(env, stateDir), bar, path),
    print: (value, text) => write(process.stdout, isJson ? JSON.stringify(value, null, 2) : text),
    note: (text) => write(process.stderr, text),
  };
}

// A client that shows how long a request takes.
function waiting(client: Client, bar: Progress | undefined, path: string): Client {
  if (bar === undefined) return client;
  return {
    ...client,
    request: (...request) => client.request<never>(...request).finally(bar.wait(`${path}, waiting for the server`)),
  };
}

function told(error: unknown, argv: readonly string[], commands: readonly Command[]): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // A group without a command shows its help instead.
    if (error.code !== 'commander.help') process.stderr.write(`orb: ${usageLine(error.message, argv, commands)}\n`);
    return exitUsage;
  }
  process.stderr.write(`orb: ${failureLine(error)}\n`);
  if (error instanceof ConfigError) return exitConfig;
  if (error instanceof ClientError && error.problem !== undefined && argv.includes('--json'))
    process.stderr.write(`${JSON.stringify(error.problem, null, 2)}\n`);
  return error instanceof ClientError && error.status === 0 ? exitUnavailable : 1;
}

// Trusts the CA of a PEM file, in addition to those already trusted, for all connections of this process.
function trustCa(file: string): void {
  try {
    const pem = readFileSync(file, 'utf8');
    // Refuses a file that is no certificate; the call below would ignore it.
    new X509Certificate(pem);
    setDefaultCACertificates([...getCACertificates('default'), pem]);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`--ca ${file}: ${code ?? message}`, { cause: error });
  }
}
