/** A module as a part of a larger script: an expression statement that defines it with the names of other modules. */
export interface ModuleText {
  /** The import specifiers, as written in the module. */
  readonly imports: readonly string[];
  /** Writes the body of a function that answers the exports; `nameOf` names the constant that holds an import. */
  write(nameOf: (specifier: string) => string): string;
}

// The form that Prettier and compilers write: a statement starts its line, and a clause contains no quote.
const importing = /^import\s*([^'"]+?)\s*from\s*['"]([^'"]+)['"];?/gm;
const reexporting = /^export\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"];?/gm;
const exportingNames = /^export\s*\{([^}]*)\};?/gm;
const exportingDefault = /^export\s+default\s+(function\s+(\w+))/gm;
const exportingDeclared = /^export\s+((?:async\s+)?function\*?|class|const|let)\s+(\w+)/gm;
const left = /^\s*(?:import(?!\()|export)\b.*$/m;

// Minified packages write their imports first and without spaces, and their exports last.
const minifiedImport = /^import\s*([\w{][^'";]*?)\s*from\s*("[^"]+"|'[^']+');/;
const minifiedExport = /([;}])export\s*(\{[^{}]*\});?\s*(?:\/\/# sourceMappingURL=.*\s*)?$/;
const minifiedDefault = /([;}])export default function\(/;

/** Writes the imports and exports of a minified module as statements that start their lines; leaves others alone. */
export function inLines(source: string): string {
  let rest = source;
  let head = '';
  for (;;) {
    const [whole = '', clause = '', from = ''] = minifiedImport.exec(rest) ?? [];
    if (whole === '') break;
    head += `import ${clause} from ${from};\n`;
    rest = rest.slice(whole.length);
  }
  return (
    head +
    rest.replace(minifiedExport, '$1\nexport $2;\n').replace(minifiedDefault, '$1\nexport default function whole(')
  );
}

/** A piece of a script, once the constants of other modules have their names. */
type Written = (nameOf: (specifier: string) => string) => string;

/**
 * Reads an ES module of plain JavaScript. Supports the forms of import and export that the verifier and its packages
 * use, and throws on any other, so that nothing is omitted silently.
 */
export function readModule(source: string): ModuleText {
  const imports: string[] = [];
  const exported: Written[] = [];
  const parts: Written[] = [];
  const body = source
    .replace(importing, (_, clause: string, from: string) => {
      imports.push(from);
      parts.push((nameOf) => `const ${pattern(clause)}=${nameOf(from)};`);
      return '';
    })
    .replace(reexporting, (_, names: string, from: string) => {
      imports.push(from);
      for (const [name, as] of pairs(names)) exported.push((nameOf) => `${as}:${nameOf(from)}.${name}`);
      return '';
    })
    .replace(exportingNames, (_, names: string) => {
      for (const [name, as] of pairs(names)) exported.push(() => (name === as ? name : `${as}:${name}`));
      return '';
    })
    .replace(exportingDefault, (_, declaration: string, name: string) => {
      exported.push(() => `default:${name}`);
      return declaration;
    })
    .replace(exportingDeclared, (_, keyword: string, name: string) => {
      exported.push(() => name);
      return `${keyword} ${name}`;
    });
  const strange = left.exec(body)?.[0];
  if (strange !== undefined) throw new Error(`the module holds a statement that cannot be bundled: ${strange.trim()}`);
  return {
    imports,
    write: (nameOf) => {
      const [imported, answered] = [parts, exported].map((all) => all.map((part) => part(nameOf)));
      return `${imported?.join('')}\n${body.trim()}\nreturn {${answered?.join()}};`;
    },
  };
}

/** Writes the bindings of an import clause as a pattern: `a, b as c` in braces, `* as all`, or the default's name. */
function pattern(clause: string): string {
  const all = /^\*\s*as\s+(\w+)$/.exec(clause)?.[1];
  if (all !== undefined) return all;
  const braces = /^\{([^}]*)\}$/.exec(clause)?.[1];
  if (braces !== undefined)
    return `{ ${pairs(braces)
      .map(([name, as]) => (name === as ? name : `${name}:${as}`))
      .join()} }`;
  if (/^\w+$/.test(clause)) return `{ default: ${clause} }`;
  throw new Error(`the import ${clause} cannot be bundled`);
}

function pairs(names: string): readonly (readonly [name: string, as: string])[] {
  return names
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', as = name] = part.split(/\s+as\s+/);
      return [name, as] as const;
    });
}
