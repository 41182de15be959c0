/** Counts the lines of a source file, and those of code: without blanks, comments and imports. */
export function linesOf(text: string): { readonly all: number; readonly code: number } {
  const lines = text.split('\n').slice(0, -1);
  let inside: 'comment' | 'import' | undefined;
  const isCode = (line: string): boolean => {
    if (inside === 'comment') {
      if (line.includes('*/')) inside = undefined;
      return false;
    }
    if (inside === 'import') {
      if (/from '[^']*';$/.test(line)) inside = undefined;
      return false;
    }
    if (line === '' || line.startsWith('//')) return false;
    if (line.startsWith('/*')) {
      if (!line.includes('*/')) inside = 'comment';
      return false;
    }
    if (!/^import\b(?!\()/.test(line)) return true;
    if (!line.endsWith(';')) inside = 'import';
    return false;
  };
  return { all: lines.length, code: lines.filter((line) => isCode(line.trim())).length };
}

/** Counts the same of a Python file; a text that stands alone, as a docstring does, is a comment. */
export function pythonLinesOf(text: string): { readonly all: number; readonly code: number } {
  const lines = text.split('\n').slice(0, -1);
  let inside: '"""' | ')' | undefined;
  const isCode = (line: string): boolean => {
    if (inside !== undefined) {
      if (line.endsWith(inside)) inside = undefined;
      return false;
    }
    if (line === '' || line.startsWith('#')) return false;
    if (line.startsWith('"""')) {
      if (line === '"""' || !line.endsWith('"""')) inside = '"""';
      return false;
    }
    if (!/^(?:import|from) /.test(line)) return true;
    if (line.endsWith('(')) inside = ')';
    return false;
  };
  return { all: lines.length, code: lines.filter((line) => isCode(line.trim())).length };
}
