import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A place in a source file where one rule can be broken, and how. */
export interface Site {
  readonly operator: string;
  /** Offsets of what is replaced. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
}

type Replace = (node: ts.Node, text: (part: ts.Node) => string) => string | undefined;

const swapped: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
]);
const kinds: Readonly<Record<string, readonly string[]>> = {
  equality: ['===', '!=='],
  boundary: ['<', '<=', '>', '>='],
  logic: ['&&', '||'],
  arithmetic: ['+', '/'],
};

const binary =
  (operator: string): Replace =>
  (node, text) => {
    if (!ts.isBinaryExpression(node)) return undefined;
    const to = swapped.get(node.operatorToken.kind);
    return to !== undefined && kinds[operator]?.includes(to) === true
      ? `${text(node.left)} ${to} ${text(node.right)}`
      : undefined;
  };

/** What is broken, by name; each answers the new text of a node, or nothing for one that it does not fit. */
const operators: Readonly<Record<string, Replace>> = {
  equality: binary('equality'),
  boundary: binary('boundary'),
  logic: binary('logic'),
  arithmetic: binary('arithmetic'),
  negation: (node, text) =>
    ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
      ? `(${text(node.operand)})`
      : undefined,
  condition: (node, text) =>
    ts.isIfStatement(node.parent) && node.parent.expression === node ? `!(${text(node)})` : undefined,
  choice: (node, text) =>
    ts.isConditionalExpression(node)
      ? `${text(node.condition)} ? ${text(node.whenFalse)} : ${text(node.whenTrue)}`
      : undefined,
  boolean: (node) =>
    ts.isLiteralTypeNode(node.parent)
      ? undefined
      : node.kind === ts.SyntaxKind.TrueKeyword
        ? 'false'
        : node.kind === ts.SyntaxKind.FalseKeyword
          ? 'true'
          : undefined,
  number: (node, text) =>
    ts.isNumericLiteral(node) && !ts.isLiteralTypeNode(node.parent) ? `(${text(node)} + 1)` : undefined,
  call: (node) => (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression) ? ';' : undefined),
  quantifier: (node) =>
    ts.isIdentifier(node) && ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
      ? ({ some: 'every', every: 'some' } as Readonly<Record<string, string>>)[node.text]
      : undefined,
};

/** Finds every site of a source file, in the order of the text. */
export function sitesOf(path: string): readonly Site[] {
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Site[] = [];
  const visit = (node: ts.Node): void => {
    for (const [operator, replace] of Object.entries(operators)) {
      const replaced = node.parent === undefined ? undefined : replace(node, (part) => part.getText(source));
      if (replaced === undefined) continue;
      const start = node.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ operator, start, end: node.end, text: replaced, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
