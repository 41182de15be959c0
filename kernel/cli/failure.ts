import { ClientError } from './command/client.ts';
import type { Command } from './command/command.ts';

/** Describes in one line why a command failed; a ConfigError has one line for each fault. */
export function failureLine(error: unknown): string {
  if (error instanceof ClientError)
    return oneLine(error.message + faultsOf(error.problem) + reasonsOf(error.problem) + codeOf(error.problem));
  return error instanceof Error ? error.message : String(error);
}

/** Describes in one line what is wrong with a call, and which command may have been meant. */
export function usageLine(message: string, argv: readonly string[], commands: readonly Command[]): string {
  const said = oneLine(message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)'));
  if (!said.startsWith('unknown command')) return said;
  const meant = closest(argv, commands);
  if (meant === undefined) return said.endsWith('?)') ? said : `${said}; orb --help lists them`;
  return `${said.replace(/ \(did you mean .*\)$/, '')} (did you mean orb ${meant}?)`;
}

// Finds the command that has most of the typed words, at least two, in any order or number.
function closest(argv: readonly string[], commands: readonly Command[]): string | undefined {
  const typed = argv.filter((word) => /^[a-z]{3}/.test(word));
  const alike = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
  const shared = (path: string): number =>
    path.split(' ').filter((word) => typed.some((other) => alike(word, other))).length;
  return commands.map(({ path }) => path).find((path) => shared(path) > 1);
}

type Problem = ClientError['problem'];

function faultsOf(problem: Problem): string {
  const errors = problem?.['errors'];
  if (!Array.isArray(errors)) return '';
  const told = errors.map(
    (fault: Readonly<Record<string, unknown>>) => `${String(fault['pointer'])} ${String(fault['detail'])}`,
  );
  return `: ${told.join('; ')}`;
}

// Each reason of a denial: what the policy says, and which policy it is.
function reasonsOf(problem: Problem): string {
  const reasons = problem?.['reasons'];
  if (!Array.isArray(reasons)) return '';
  const said = (reason: Readonly<Record<string, string | undefined>>): string => {
    const { code = '', message, policy } = reason;
    return `; reason: ${code}${message === undefined ? '' : `: ${message}`}${policy === undefined ? '' : ` (policy ${policy})`}`;
  };
  return (reasons as readonly Readonly<Record<string, string | undefined>>[]).map(said).join('');
}

function codeOf(problem: Problem): string {
  if (typeof problem?.['code'] !== 'string') return '';
  const why = problem['provider_reason'];
  const code = typeof why === 'string' ? `${problem['code']}: ${why}` : problem['code'];
  return ` (${code}, request ${String(problem['request_id'])})`;
}

// A terminal would obey control characters, which may come from an untrusted party.
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
