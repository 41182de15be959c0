import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  defineCommand,
  given,
  type Answered,
  type Command,
  type CommandCall,
  type Decision,
  type Screen,
} from '../../kernel/index.ts';
import { apiCommand, painted } from '../terminal/contract.ts';
import { policyHome } from './folder/home.ts';
import type { FileDiff } from './revisions/diff.ts';
import { isPolicyFile } from './revisions/revision.ts';
import type { activated, Diagnostic, dryRun, formatted, PolicyFile, replayed, TestResult } from './shapes.ts';
import { shippedFolder, shippedPolicies } from './shipped.ts';

const pathArgument = { name: 'path', description: 'Folder or file; default: the policies of ORB_HOME', optional: true };
const changeOptions = [
  { flag: '--overwrite', description: 'replace a folder that differs from the active revision' },
  { flag: '--message <text>', description: 'The reason, for the history' },
];

/** All commands of policies. */
export const policyCommands: readonly Command[] = [
  apiCommand<{
    valid: boolean;
    diagnostics: readonly Diagnostic[];
    policies: readonly object[];
    tests: readonly TestResult[];
  }>({
    path: 'policy check',
    summary: 'check a policies folder or one file, without changes',
    args: [pathArgument],
    route: 'POST /policies/validate',
    body: (call) => ({ files: localFiles(pathOf(call)) }),
    show: ({ diagnostics, policies, tests, valid }, { screen }) =>
      lines(
        diagnosticsText(diagnostics, screen),
        valid ? `${policies.length} policies, ${tests.length} tests: all checks passed` : '',
      ),
    exit: ({ valid }) => (valid ? 0 : 1),
  }),
  apiCommand<{ passed: boolean; tests: readonly TestResult[]; diagnostics: readonly Diagnostic[] }>({
    path: 'policy test',
    summary: 'run the tests of a folder of policies',
    args: [{ name: 'path', description: 'Folder; default: the policies of ORB_HOME', optional: true }],
    options: [{ flag: '--drafts', description: 'Test the drafts of the server on top of its active policies instead' }],
    route: 'POST /policies/test',
    body: (call) => (call.options['drafts'] === true ? { against: 'drafts' } : { files: localFiles(pathOf(call)) }),
    show: ({ diagnostics, tests }, { screen }) =>
      lines(
        diagnosticsText(
          diagnostics.filter(({ code }) => code !== 'test_failed'),
          screen,
        ),
        testsText(tests, screen),
      ),
    exit: ({ passed }) => (passed ? 0 : 1),
  }),
  defineCommand({
    path: 'policy fmt',
    summary: 'format policies; without --write, exit code 1 if one is not formatted',
    args: [pathArgument],
    options: [{ flag: '--write', description: 'Write the formatted files' }],
    run: format,
  }),
  apiCommand<DryRun>({
    path: 'policy dry-run',
    summary: 'preview the decision for an input, with its reasons',
    args: [
      { name: 'action', description: 'execute, swap or publish' },
      { name: 'input', description: 'File with the envelope as JSON' },
    ],
    options: [
      { flag: '--against <what>', description: 'active, drafts or a revision; default: active' },
      { flag: '--files <folder>', description: 'Use a local folder instead' },
      { flag: '--explain', description: 'Print the trace' },
    ],
    route: 'POST /dry-run',
    body: ({ args: [action, input = ''], options: { against, files, explain } }) =>
      given({
        action,
        input: JSON.parse(readFileSync(input, 'utf8')) as unknown,
        against,
        files: typeof files === 'string' ? localFiles(files) : undefined,
        explain: explain === true ? 'full' : undefined,
      }),
    show: dryRunText,
    exit: ({ decision }) => (decision.allow ? 0 : 1),
  }),
  defineCommand({
    path: 'policy diff',
    summary: 'compare two revisions, or the active revision with the drafts',
    args: [
      { name: 'from', description: 'A revision; default: the active one', optional: true },
      { name: 'to', description: 'A revision; default: the drafts', optional: true },
    ],
    async run(call) {
      const client = call.client();
      const [from, to = 'drafts'] = call.args;
      const base = from ?? (await client.request<{ revision: string }>('GET', '/policies/-/status')).revision;
      const path = `/policies/-/revisions/${base}/diff/${to}`;
      const answer = await client.request<{ files: readonly FileDiff[] }>('GET', path);
      const shown = answer.files.map(({ path: file, change, diff }) => `${change} ${file}\n${diff}`).join('\n\n');
      call.print(answer, shown === '' ? 'no differences' : shown);
    },
  }),
  apiCommand<Answered<typeof replayed>>({
    path: 'policy replay',
    summary: 'replay recent decisions under the drafts; exit code 1 if one would be denied or need an approval',
    options: [
      { flag: '--against <what>', description: 'drafts, active or a revision; default: drafts' },
      { flag: '--files <folder>', description: 'Use a local folder instead' },
      { flag: '--last <n>', description: 'Number of decisions; default and maximum: 1000' },
    ],
    route: 'POST /policies/-/replay',
    body: ({ options: { against, files, last } }) =>
      given({
        against,
        files: typeof files === 'string' ? localFiles(files) : undefined,
        last: last === undefined ? undefined : Number(last),
      }),
    show: replayText,
    exit: ({ counts }) => (counts.would_deny + counts.would_ask === 0 ? 0 : 1),
  }),
  apiCommand<Changed>({
    path: 'policy activate',
    summary: 'activate drafts or an earlier revision',
    args: [{ name: 'revision', description: 'A revision; default: the drafts', optional: true }],
    options: [
      { flag: '--draft <id>', description: 'Only this draft; give it once per draft', repeat: true },
      { flag: '--folder', description: 'Activate the policies folder of the server instead of drafts' },
      { flag: '--if-match <revision>', description: 'Only if this revision is active' },
      ...changeOptions,
    ],
    route: 'POST /policies/-/activate',
    body: ({ args: [revision], options: { draft, folder, overwrite, message } }) =>
      given({ revision, drafts: draft, folder, overwrite, message }),
    show: changeText,
  }),
  apiCommand<Changed>({
    path: 'policy rollback',
    summary: 'activate the previous revision again',
    options: changeOptions,
    route: 'POST /policies/-/rollback',
    body: ({ options: { overwrite, message } }) => given({ overwrite, message }),
    show: changeText,
  }),
];

type Changed = Answered<typeof activated>;

function changeText({ revision, previous = 'none' }: Changed): string {
  return `${revision} is active (before: ${previous})`;
}

type DryRun = Omit<Answered<typeof dryRun>, 'decision'> & { readonly decision: Decision };

function dryRunText(
  { decision, same_as_active: same, missing_input, trace = '', output = '' }: DryRun,
  { screen }: CommandCall,
): string {
  const reasons = (decision.reasons ?? []).map(({ code, policy = '', message = '' }) =>
    [' ', code, policy, message].join(' ').trimEnd(),
  );
  return lines(
    verdictText(decision, screen),
    ...reasons,
    same === undefined ? '' : `the active revision decides ${same ? 'the same' : 'differently'}`,
    missing_input.length === 0 ? '' : `the input lacks ${missing_input.join(', ')}`,
    output,
    trace,
  );
}

function verdictText({ allow, asks = [], policies }: Decision, screen: Screen | undefined): string {
  if (allow) return `${painted('ALLOWED', screen)} by ${policies.join(', ')}`;
  if (asks.length === 0) return painted('DENIED', screen);
  const people = asks.map(({ approvers, of }) => (of === 1 ? approvers : `${of} of ${approvers}`));
  return `${painted('warning', screen, 'NEEDS APPROVAL')} by ${[...new Set(people)].join(' and ')}`;
}

function replayText({ examined, complete, counts, decision_ids }: Answered<typeof replayed>): string {
  const changed = [...decision_ids.would_deny.map((id) => `would deny ${id}`)];
  changed.push(...decision_ids.would_ask.map((id) => `would ask ${id}`));
  changed.push(...decision_ids.would_allow.map((id) => `would allow ${id}`));
  const total = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`);
  return lines(...changed, `${examined} decisions: ${total.join(', ')}`, complete ? '' : 'the time limit was reached');
}

async function format(call: CommandCall): Promise<number> {
  const path = pathOf(call);
  const files = localFiles(path).filter((file) => file.path.endsWith('.rego'));
  const answer = await call.client().request<Answered<typeof formatted>>('POST', '/policies/format', { files });
  // A path of the server's own could lead anywhere on this machine.
  const sent = new Set(files.map((file) => file.path));
  const changed = answer.files.filter((file) => file.changed && sent.has(file.path));
  const write = call.options['write'] === true;
  if (write)
    for (const file of changed) writeFileSync(statSync(path).isDirectory() ? join(path, file.path) : path, file.source);
  call.print(answer, lines(diagnosticsText(answer.diagnostics, call.screen), ...changed.map((file) => file.path)));
  return answer.diagnostics.length > 0 || (changed.length > 0 && !write) ? 1 : 0;
}

// Returns the path argument, else the folder that the server of this ORB_HOME serves.
function pathOf({ args: [path], env }: CommandCall): string {
  return path ?? policyHome(resolve(env['ORB_HOME'] ?? '.'), shippedPolicies).served();
}

function localFiles(path: string): readonly PolicyFile[] {
  if (!statSync(path).isDirectory())
    return [{ path: path.split('/').at(-1) ?? path, source: readFileSync(path, 'utf8') }];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
    .filter(isPolicyFile)
    .filter((name) => path !== shippedFolder || shippedPolicies.digests().has(name))
    .sort()
    .map((name) => ({ path: name, source: readFileSync(join(path, name), 'utf8') }));
}

// Prints diagnostics like a compiler: `file:line:column: message`, then the line with a caret below.
function diagnosticsText(found: readonly Diagnostic[], screen: Screen | undefined): string {
  return found
    .map(({ severity, code, message, file, line, column, excerpt, hint }) => {
      const at = file === undefined ? '' : `${file}:${line ?? 1}:${column ?? 1}: `;
      const more = [excerpt, hint].filter((text) => text !== undefined && text !== '');
      return [`${at}${painted(severity, screen)}: ${message} (${code})`, ...more].join('\n  ');
    })
    .join('\n');
}

function testsText(tests: readonly TestResult[], screen: Screen | undefined): string {
  const results = tests.map(({ name, file, line, passed, skipped, message, output }) => {
    const word = skipped === true ? 'skipped' : passed ? 'ok' : 'FAILED';
    return [`${painted(word, screen)} ${name} (${file}:${line})`, ...(passed ? [] : [message ?? '', output ?? ''])]
      .join('\n')
      .trim();
  });
  return [...results, `${tests.filter(({ passed }) => passed).length} of ${tests.length} passed`].join('\n');
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}
