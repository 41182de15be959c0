import { join } from 'node:path';
import ts from 'typescript';
import { packageDir } from './folder.ts';

/** A source file that is written in a document. */
export interface Source {
  readonly path: string;
  readonly code: string;
}

/** Type-checks sources as if they lay in the checkout, by its own settings; answers what is wrong. */
export function typeFaults(sources: readonly Source[]): string[] {
  const given = new Map(sources.map(({ path, code }) => [join(packageDir, path), code]));
  const { config } = ts.readConfigFile(join(packageDir, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, packageDir);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => given.get(path) ?? readFile(path);
  host.fileExists = (path) => given.has(path) || fileExists(path);
  const checked = ts.createProgram([...given.keys()], options, host);
  return [...given.keys()].flatMap((path) => {
    const source = checked.getSourceFile(path);
    const found = [...checked.getSyntacticDiagnostics(source), ...checked.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
}
