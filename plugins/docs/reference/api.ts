import { readFileSync } from 'node:fs';
import { addressOf, type Page } from '../page.ts';
import {
  follower,
  operationsOf,
  type Answer,
  type Content,
  type Follow,
  type Operation,
  type Parameter,
} from './operation.ts';
import { bodyExamples } from './examples.ts';
import { topicsOf } from './order.ts';
import { exampleOf, membersOf, settingsTable, typeOf } from './schema.ts';
import { sampleOf } from './samples.ts';
import { code, jsonBlock, table, words } from './table.ts';

let recorded: Readonly<Record<string, unknown>> | undefined;

// Answers of a server, by operation; a test compares their shape with those of now. Read when the first page is shown.
function recordedOf(id: string): unknown {
  recorded ??= JSON.parse(readFileSync(new URL('./answers.json', import.meta.url), 'utf8')) as Record<string, unknown>;
  return recorded[id];
}

/** Lists every route by topic, in the order of use, each with its page. */
export function apiIndex(document: object): string {
  const parts = topicsOf(operationsOf(document)).map(({ title, operations }) => {
    const rows = operations.map((operation) => [
      `[${code(operation.title)}](${addressOf(operation.page)})`,
      words(operation.summary),
      keyOf(operation),
    ]);
    return `## ${title}\n\n${table(['Route', 'What it does', 'Key'], rows)}`;
  });
  return parts.join('\n');
}

/** Makes one page per route: parameters, body and responses with their schemas and examples. */
export function operationPages(document: object): readonly Page[] {
  const follow = follower(document);
  return operationsOf(document).map((operation) => ({
    path: operation.page,
    title: operation.title,
    listedOn: 'reference/api',
    sample: () => sampleOf(operation, follow),
    source: () => sourceOf(operation, follow),
  }));
}

function keyOf({ access: { key, scopes } }: Operation): string {
  if (key === 'none') return 'none';
  if (key === 'optional') return 'optional';
  return scopes.length === 0 ? 'any' : scopes.map(code).join(' or ');
}

function sourceOf(operation: Operation, follow: Follow): string {
  const { title, summary, service, parameters, body, responses, page } = operation;
  const id = page.slice('api/'.length);
  const all = Object.entries(responses).map(([status, answer]) => ({ status, answer: follow(answer) }));
  const problems = all.filter(({ answer: { content = {} } }) => 'application/problem+json' in content);
  const others = all.filter((one) => !problems.includes(one));
  return [
    `# ${title}\n`,
    `${words(summary)}. Service ${code(service)}. ${accessText(operation)}\n`,
    ...(parameters.length === 0 ? [] : ['## Parameters\n', parameterTable(parameters.map(follow), follow)]),
    ...(body === undefined ? [] : ['## Body\n', contentText(body, follow, bodyExamples[id])]),
    '## Responses\n',
    ...others.map(({ status, answer }) => answerText(status, answer, follow, recordedOf(id))),
    ...(problems.length === 0 ? [] : ['### Problems\n', problemText(problems)]),
  ].join('\n');
}

function accessText({ access: { key, scopes } }: Operation): string {
  if (key === 'none') return 'No key is needed.';
  if (key === 'optional') return 'No key is needed; with one, the answer may say more.';
  if (scopes.length === 0) return 'Any valid key will do.';
  const link = (scope: string): string => `[${code(scope)}](/docs/reference/scopes)`;
  return `The key needs the scope ${scopes.map(link).join(' or ')}.`;
}

function parameterTable(parameters: readonly Parameter[], follow: Follow): string {
  return table(
    ['Name', 'In', 'Type', 'Required', 'Meaning'],
    parameters.map(({ name, in: place, required, description = '', schema = {} }) => [
      code(name),
      place,
      typeOf(schema, follow),
      required === true ? 'yes' : 'no',
      words(description),
    ]),
  );
}

// `example`: an answer of a server to the route, when it succeeds.
function answerText(status: string, answer: Answer, follow: Follow, example: unknown): string {
  const { content = {}, description = '', headers = {} } = answer;
  const rows = Object.entries(headers).map(([name, header]) => [code(name), words(follow(header).description ?? '')]);
  return [
    `### ${status}\n`,
    `${words(description)}.\n`,
    ...(rows.length === 0 ? [] : [table(['Header', 'Meaning'], rows)]),
    contentText(content, follow, status.startsWith('2') ? example : undefined),
  ].join('\n');
}

function contentText(content: Content, follow: Follow, example?: unknown): string {
  const parts = Object.entries(content).map(([type, { schema = {} }]) => {
    const members = membersOf(schema, follow);
    if (members.length === 0) return `${code(type)}: ${typeOf(schema, follow)}.\n`;
    return `${code(type)}:\n\n${settingsTable(members)}\nExample:\n\n${jsonBlock(example ?? exampleOf(schema, follow))}`;
  });
  return parts.join('\n');
}

function problemText(problems: readonly { readonly status: string; readonly answer: Answer }[]): string {
  const rows = problems.map(({ status, answer: { description = '' } }) => [status, words(description)]);
  return `${table(['Status', 'Codes'], rows)}\n[All problems](/docs/reference/problems) says what each code means.\n`;
}
