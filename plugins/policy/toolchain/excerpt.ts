import type { Diagnostic } from '../contract.ts';
import type { PolicyFile } from '../shapes.ts';

/** Adds to diagnostics the line they point at, with a caret below the column. */
export function withExcerpts(diagnostics: readonly Diagnostic[], files: readonly PolicyFile[]): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { file, line, column } = diagnostic;
    const source = files.find(({ path }) => path === file)?.source;
    const text = line === undefined ? undefined : source?.split('\n')[line - 1];
    if (text === undefined || column === undefined) return diagnostic;
    const shown = text.slice(0, 200);
    return { ...diagnostic, excerpt: `${shown}\n${shown.slice(0, column - 1).replace(/[^\t]/g, ' ')}^` };
  });
}
