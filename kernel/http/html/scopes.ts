import type { AnyNode, Identifier, Pattern, Program } from 'acorn';

/** A name that a module declares, or the one of another module that it imports. */
export interface Variable {
  readonly name: string;
  readonly scope: Scope;
  /** What an import refers to; set when the modules are linked. */
  is?: Variable;
  /** What it is called in the script; set when names are given. */
  short?: string;
}

/** A place in a module where a variable is named. */
export interface Reference {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** In `{ name }`, where it is the name of a property too. */
  readonly shorthand: boolean;
  readonly scope: Scope;
}

/** In a module and a function `var` of the blocks below declares its names; the name of a `catch` is its body's too. */
type ScopeKind = 'module' | 'function' | 'catch' | 'block';

/** A part of a module in which names are declared: a function, a block, the module itself. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly variables = new Map<string, Variable>();
  readonly inner: Scope[] = [];
  /** The body of a function or of a `catch`: it must not redeclare names of the surrounding scope. */
  readonly isBody: boolean;
  readonly #kind: ScopeKind;

  constructor(parent: Scope | undefined, kind: ScopeKind) {
    this.parent = parent;
    this.#kind = kind;
    this.isBody = kind === 'block' && parent !== undefined && ['function', 'catch'].includes(parent.#kind);
    parent?.inner.push(this);
  }

  declare(name: string): Variable {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    const variable = { name, scope: this };
    this.variables.set(name, variable);
    return variable;
  }

  find(name: string): Variable | undefined {
    return this.variables.get(name) ?? this.parent?.find(name);
  }

  ofVar(): Scope {
    return this.#kind === 'function' || this.parent === undefined ? this : this.parent.ofVar();
  }
}

/** Lists the places of a module that name variables, each with its scope. Imports and lists of exports do not count. */
export function referencesOf(program: Program, scope: Scope): readonly Reference[] {
  const references: Reference[] = [];
  const shorthands = new Set<number>();
  const visit = (node: AnyNode, outer: Scope): void => {
    if (node.type === 'Identifier') {
      const { name, start, end } = node;
      references.push({ name, start, end, shorthand: shorthands.has(start), scope: outer });
      return;
    }
    if (node.type === 'ImportDeclaration' || node.type === 'MetaProperty') return;
    if (node.type === 'Property' && node.shorthand) shorthands.add(node.start);
    const kind = opened(node);
    const inner = kind === undefined ? outer : new Scope(outer, kind);
    declare(node, outer, inner);
    for (const [field, value] of Object.entries(node) as readonly (readonly [string, unknown])[]) {
      if (typeof value !== 'object' || isPlainName(node, field)) continue;
      const to = field === 'id' && /Declaration$/.test(node.type) ? outer : inner;
      if (isNode(value)) visit(value, to);
      else if (Array.isArray(value)) for (const child of value) if (isNode(child)) visit(child, to);
    }
  };
  for (const statement of program.body) visit(statement, scope);
  return references;
}

const blocks = new Set<string>([
  ...['BlockStatement', 'ForStatement', 'ForInStatement', 'ForOfStatement', 'SwitchStatement'],
  ...['ClassDeclaration', 'ClassExpression'],
]);

function opened({ type }: AnyNode): ScopeKind | undefined {
  if (/Function/.test(type) || type === 'StaticBlock') return 'function';
  if (type === 'CatchClause') return 'catch';
  return blocks.has(type) ? 'block' : undefined;
}

function declare(node: AnyNode, outer: Scope, inner: Scope): void {
  const all = (scope: Scope, patterns: readonly Pattern[]): void =>
    patterns.flatMap(namesIn).forEach(({ name }) => scope.declare(name));
  switch (node.type) {
    case 'VariableDeclaration':
      return all(
        node.kind === 'var' ? outer.ofVar() : outer,
        node.declarations.map(({ id }) => id),
      );
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      if (node.id !== null) outer.declare(node.id.name);
      return node.type === 'FunctionDeclaration' ? all(inner, node.params) : undefined;
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      all(inner, node.params);
      if (node.id) inner.declare(node.id.name);
      return undefined;
    case 'ClassExpression':
      if (node.id) inner.declare(node.id.name);
      return undefined;
    case 'CatchClause':
      return all(inner, node.param ? [node.param] : []);
    default:
      return undefined;
  }
}

function namesIn(pattern: Pattern): readonly Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => namesIn(one.type === 'Property' ? one.value : one.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one === null ? [] : namesIn(one)));
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'MemberExpression':
      return [];
  }
}

// The name of a property, of a label, or in a list of exports; not of a variable.
function isPlainName(node: AnyNode, field: string): boolean {
  if (field === 'label' || field === 'specifiers') return true;
  return (field === 'key' || field === 'property') && 'computed' in node && !node.computed;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
