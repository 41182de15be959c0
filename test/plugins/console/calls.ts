import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { packageDir } from '../../helpers/folder.ts';

/** A call of the API that the sources of the console make: `*` means a value, `**` an unknown beginning. */
export interface ConsoleCall {
  readonly method: string;
  readonly path: string;
  readonly file: string;
}

const app = join(packageDir, 'plugins/console/app');
/** Functions whose first argument is the path that is read. */
const readers = new Set(['useGet', 'useTagged', 'get', 'saveFile']);

/** Reads from the sources which calls the screens make; a call that is only shown (`ApiCall`) is none. */
export function consoleCalls(): readonly ConsoleCall[] {
  return readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'screens.ts')
    .flatMap((name) => callsIn(name, readFileSync(join(app, name), 'utf8')));
}

/** Reads the calls of one source. */
export function callsIn(file: string, text: string): readonly ConsoleCall[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const names = namesOf(source);
  const calls: ConsoleCall[] = [];
  const add = (method: string, path: ts.Expression | undefined): void => {
    for (const one of path === undefined ? [] : patternsOf(path, names, 0)) {
      const bare = one.split('?')[0] ?? '';
      if (/^(\/|\*\*\/)\w/.test(bare)) calls.push({ method, path: bare, file });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && readers.has(node.expression.text))
      add('GET', node.arguments[0]);
    if (ts.isObjectLiteralExpression(node) && isCall(node) && !isOnlyShown(node))
      add(methodOf(node, names) ?? 'GET', memberOf(node, 'path'));
    if (ts.isTemplateSpan(node) && isDownload(node)) add('GET', node.expression);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

/** What the constants, functions and parameters of a function or a source are, by their names; a parameter is nothing. */
type Names = ReadonlyMap<ts.Node, ReadonlyMap<string, readonly ts.Expression[]>>;

function namesOf(source: ts.SourceFile): Names {
  const names = new Map<ts.Node, Map<string, ts.Expression[]>>();
  const add = (name: ts.Node, value: ts.Expression | undefined, from: ts.Node): void => {
    if (!ts.isIdentifier(name)) return;
    const scope = scopeOf(from);
    const own = names.get(scope) ?? new Map<string, ts.Expression[]>();
    names.set(scope, own.set(name.text, [...(own.get(name.text) ?? []), ...(value === undefined ? [] : [value])]));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node)) add(node.name, node.initializer, node.parent);
    if (ts.isBindingElement(node)) add(node.name, undefined, node.parent);
    if (ts.isParameter(node)) add(node.name, undefined, node);
    if (ts.isFunctionDeclaration(node) && node.name !== undefined)
      for (const statement of node.body?.statements ?? [])
        if (ts.isReturnStatement(statement)) add(node.name, statement.expression, node.parent);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function scopeOf(node: ts.Node): ts.Node {
  for (let at = node; ; at = at.parent) if (ts.isFunctionLike(at) || ts.isSourceFile(at)) return at;
}

// What a name is where it is used: the nearest function that has it counts.
function found(name: ts.Identifier, names: Names): readonly ts.Expression[] {
  for (let at = scopeOf(name); ; at = scopeOf(at.parent)) {
    const own = names.get(at)?.get(name.text);
    if (own !== undefined) return own;
    if (ts.isSourceFile(at)) return [];
  }
}

const deepest = 6;

/** All texts that an expression may be. */
function patternsOf(node: ts.Expression, names: Names, depth: number): readonly string[] {
  const again = (one: ts.Expression): readonly string[] => patternsOf(one, names, depth + 1);
  if (depth > deepest) return [unknown];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return again(node.expression);
  if (ts.isConditionalExpression(node)) return [...again(node.whenTrue), ...again(node.whenFalse)];
  if (ts.isTemplateExpression(node)) return templateOf(node, again);
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return again(node.body);
  if (ts.isIdentifier(node)) return node.text === 'undefined' ? [] : knownOf(node, names, again);
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const [first] = node.arguments;
    if (node.expression.text === 'withQuery' && first !== undefined) return again(first);
    return knownOf(node.expression, names, again);
  }
  return [unknown];
}

const unknown = '**';

function knownOf(
  name: ts.Identifier,
  names: Names,
  again: (one: ts.Expression) => readonly string[],
): readonly string[] {
  const values = found(name, names);
  return values.length === 0 ? [unknown] : values.flatMap(again);
}

// A value that is no text of the source is `*`; at the beginning it may be any number of segments.
function templateOf(node: ts.TemplateExpression, again: (one: ts.Expression) => readonly string[]): readonly string[] {
  return node.templateSpans.reduce<readonly string[]>(
    (heads, { expression, literal }) => {
      const values = again(expression).map((value) => (value === unknown ? undefined : value));
      return heads.flatMap((head) =>
        values.map((value) => `${head}${value ?? (head === '' ? unknown : '*')}${literal.text}`),
      );
    },
    [node.head.text],
  );
}

function memberOf(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const member of node.properties) {
    if (ts.isPropertyAssignment(member) && member.name.getText() === name) return member.initializer;
    if (ts.isShorthandPropertyAssignment(member) && member.name.text === name) return member.name;
  }
  return undefined;
}

// The members of a call and of a list that is read; other objects with a path are places of the console.
const ofCalls = /^(method|path|body|headers|key|signal|member|idOf|shows|types|names|lastId)$/;

const isCall = ({ properties }: ts.ObjectLiteralExpression): boolean =>
  properties.every((member) => ts.isSpreadAssignment(member) || ofCalls.test(member.name?.getText() ?? ''));

// The method may come with a call that is spread.
function methodOf(node: ts.ObjectLiteralExpression, names: Names): string | undefined {
  const own = memberOf(node, 'method');
  if (own !== undefined) return ts.isStringLiteralLike(own) ? own.text : undefined;
  for (const member of node.properties) {
    if (!ts.isSpreadAssignment(member) || !ts.isIdentifier(member.expression)) continue;
    for (const value of found(member.expression, names))
      if (ts.isObjectLiteralExpression(value)) return methodOf(value, names);
  }
  return undefined;
}

// A link that the browser saves, and does not show: `<a href=${path} download>`.
const isDownload = (span: ts.TemplateSpan): boolean =>
  textBefore(span).endsWith('href=') && /^\s+download\b/.test(span.literal.text);

function textBefore(span: ts.TemplateSpan): string {
  const { head, templateSpans } = span.parent;
  const at = templateSpans.indexOf(span);
  return at === 0 ? head.text : (templateSpans[at - 1]?.literal.text ?? '');
}

// In `<${ApiCall} call=${{ path }} />` the call is shown to be copied.
function isOnlyShown(node: ts.Node): boolean {
  const span = node.parent;
  if (span === undefined || !ts.isTemplateSpan(span)) return false;
  const { templateSpans } = span.parent;
  const of = templateSpans[templateSpans.indexOf(span) - 1]?.expression.getText();
  return of === 'ApiCall' && /call=$/.test(textBefore(span));
}
