import type { ModuleDeclaration, Program, Statement } from 'acorn';
import { referencesOf, Scope, type Reference, type Variable } from './scopes.ts';

/** A module of a script: what it names, and how its text changes when it is joined with others in one scope. */
export interface ModuleText {
  readonly scope: Scope;
  readonly references: readonly Reference[];
  /** The names that refer to exports of other modules; `*` means all of them. */
  readonly imported: readonly { readonly variable: Variable; readonly from: string; readonly name: string }[];
  /** Finds what the module exports under a name: a variable of its own, or an export of another module. */
  readonly exported: ReadonlyMap<string, Variable | { readonly from: string; readonly name: string }>;
  /** The modules that it needs, in the order in which they run. */
  readonly needs: readonly string[];
  /** Writes the module with the short names of its variables. */
  write(): string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: () => string;
}

/** Reads an ES module of plain JavaScript. Throws on what cannot stand in a script, so that nothing is omitted silently. */
export function readModule(source: string, program: Program): ModuleText {
  const scope = new Scope(undefined, 'module');
  const references = referencesOf(program, scope);
  const reader = new Reader(scope);
  for (const statement of program.body) reader.statement(statement);
  const edits = [...reader.edits, ...references.flatMap(renamed)].sort((one, other) => one.start - other.start);
  return {
    ...{ scope, references, needs: reader.needs, imported: reader.imported, exported: reader.exported },
    write: () => {
      let at = 0;
      let text = '';
      for (const edit of edits) {
        text += source.slice(at, edit.start) + edit.text();
        at = edit.end;
      }
      return (text + source.slice(at)).trim();
    },
  };
}

function renamed({ name, start, end, shorthand, scope }: Reference): readonly Edit[] {
  const variable = scope.find(name);
  if (variable === undefined) return [];
  return [{ start, end, text: () => (shorthand ? `${name}:${shortOf(variable)}` : shortOf(variable)) }];
}

/** Returns the short name of a variable, or of the one that it refers to. */
export function shortOf(variable: Variable): string {
  return variable.is === undefined ? (variable.short ?? variable.name) : shortOf(variable.is);
}

class Reader {
  readonly edits: Edit[] = [];
  readonly needs: string[] = [];
  readonly imported: ModuleText['imported'][number][] = [];
  readonly exported = new Map<string, Variable | { readonly from: string; readonly name: string }>();
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  statement(statement: Statement | ModuleDeclaration): void {
    switch (statement.type) {
      case 'ImportDeclaration':
        return this.#import(statement);
      case 'ExportNamedDeclaration':
        return this.#export(statement);
      case 'ExportDefaultDeclaration':
        return this.#exportDefault(statement);
      case 'ExportAllDeclaration':
        throw new Error('the module exports all of another one, which cannot be bundled');
      default:
    }
  }

  #import({ start, end, source, specifiers }: Extract<ModuleDeclaration, { type: 'ImportDeclaration' }>): void {
    const from = String(source.value);
    this.needs.push(from);
    this.#replace(start, end, '');
    for (const one of specifiers) {
      const variable = this.#scope.declare(one.local.name);
      const name =
        one.type === 'ImportSpecifier' ? nameOf(one.imported) : one.type === 'ImportDefaultSpecifier' ? 'default' : '*';
      this.imported.push({ variable, from, name });
    }
  }

  #export(statement: Extract<ModuleDeclaration, { type: 'ExportNamedDeclaration' }>): void {
    const { start, end, declaration, source, specifiers } = statement;
    const from = source ? String(source.value) : undefined;
    if (from !== undefined) this.needs.push(from);
    this.#replace(start, declaration?.start ?? end, '');
    for (const { local, exported } of specifiers) {
      const name = nameOf(local);
      this.exported.set(nameOf(exported), from === undefined ? this.#scope.declare(name) : { from, name });
    }
    if (!declaration) return;
    const names =
      declaration.type === 'VariableDeclaration' ? declaration.declarations.map(({ id }) => id) : [declaration.id];
    for (const id of names) {
      if (id.type !== 'Identifier') throw new Error('the module exports a pattern, which cannot be bundled');
      this.exported.set(id.name, this.#scope.declare(id.name));
    }
  }

  #exportDefault(statement: Extract<ModuleDeclaration, { type: 'ExportDefaultDeclaration' }>): void {
    const { start, declaration } = statement;
    const { id } = 'id' in declaration && /Declaration$/.test(declaration.type) ? declaration : {};
    const variable = this.#scope.declare(id?.name ?? '*default');
    this.exported.set('default', variable);
    this.edits.push({
      ...{ start, end: declaration.start },
      text: () => (id ? '' : `const ${shortOf(variable)}=`),
    });
  }

  #replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text: () => text });
  }
}

function nameOf(given: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return given.type === 'Identifier' ? (given.name ?? '') : String(given.value);
}
