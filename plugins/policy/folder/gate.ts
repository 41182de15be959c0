import { given } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import { isData, isTest, policyIdOf } from '../revisions/revision.ts';
import type { PolicyFile } from '../shapes.ts';

/** Limits of a policies folder. */
export const limits = { files: 200, bytes: 256 * 1024, nesting: 200 } as const;

/** A file as it was found, with unchecked bytes. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Files that may go to the compiler, and diagnostics of the others. */
export type Gated = ReturnType<typeof gate>;

const idPattern = /^[a-z0-9_][a-z0-9_.-]{0,99}$/;
const reservedIds: ReadonlySet<string> = new Set(['-', 'validate', 'format', 'test']);

/** Makes the checks that need no compiler: number, size, text, nesting, names, and the shape of data files. */
export function gate(found: readonly FoundFile[]) {
  const diagnostics: Diagnostic[] = [];
  const files: PolicyFile[] = [];
  const ids = new Map<string, string>();
  if (found.length > limits.files)
    diagnostics.push(faultOf('too_many_files', `the folder contains more than ${limits.files} files`, undefined));
  for (const { path, bytes } of found.slice(0, limits.files)) {
    const source = textOf(bytes);
    const fault = (code: string, message: string, hint?: string): unknown =>
      diagnostics.push(faultOf(code, message, path, hint));
    if (bytes.length > limits.bytes)
      fault('file_too_large', `the file is larger than ${limits.bytes} bytes`, 'split the file');
    else if (source === undefined) fault('not_utf8', 'the file is not UTF-8');
    else if (isNamed(path, ids, fault)) {
      if (tooNested(source)) fault('too_nested', `brackets are nested deeper than ${limits.nesting}`);
      else files.push({ path, source });
    }
  }
  const data = dataOf(files, diagnostics);
  return { files, data, diagnostics };
}

/** Makes the diagnostic of a file, or of the folder as a whole. */
export function faultOf(code: string, message: string, file?: string, hint?: string): Diagnostic {
  return {
    severity: 'error',
    code,
    message,
    ...(file === undefined ? {} : { file, line: 1, column: 1 }),
    ...given({ hint }),
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

type Report = (code: string, message: string, hint?: string) => unknown;

function isNamed(path: string, ids: Map<string, string>, fault: Report): boolean {
  if (isData(path)) return true;
  const id = policyIdOf(path);
  const other = ids.get(id);
  const unfit = !idPattern.test(id) || reservedIds.has(id);
  if (!path.endsWith('.rego'))
    fault('wrong_name', 'the file is neither Rego nor JSON data', 'name policies *.rego and data files data/*.json');
  else if (unfit)
    fault(
      'wrong_name',
      `the path gives the id ${id}, which is not allowed`,
      `use an id that matches ${idPattern.source}`,
    );
  else if (other !== undefined) fault('id_defined_twice', `${other} and ${path} have the same id ${id}`);
  else return ids.set(id, path) !== undefined;
  return false;
}

// The parser is recursive: a deeply nested file would overflow its stack.
function tooNested(source: string): boolean {
  let depth = 0;
  for (let index = 0; index < source.length; index += 1) {
    const mark = source.charCodeAt(index);
    if (mark === 0x28 || mark === 0x5b || mark === 0x7b) depth += 1;
    else if (mark === 0x29 || mark === 0x5d || mark === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > limits.nesting) return true;
  }
  return false;
}

function dataOf(files: readonly PolicyFile[], diagnostics: Diagnostic[]): Readonly<Record<string, unknown>> {
  const data: Record<string, unknown> = {};
  const owners = new Map<string, string>();
  for (const { path, source } of files.filter((file) => isData(file.path))) {
    const content = objectOf(source);
    if (content === undefined) {
      diagnostics.push(faultOf('wrong_data', 'the file is not a JSON object', path));
      continue;
    }
    for (const [key, value] of Object.entries(content)) {
      const other = owners.get(key);
      if (key === 'orb' || key === '__proto__')
        diagnostics.push(faultOf('reserved_data', `the data key ${key} is reserved`, path, 'choose another key'));
      else if (other !== undefined)
        diagnostics.push(faultOf('data_defined_twice', `the data key ${key} is in ${other} and in ${path}`, path));
      owners.set(key, path);
      data[key] = value;
    }
  }
  return data;
}

function objectOf(source: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Turns files of any origin into found ones. */
export function foundFiles(files: readonly PolicyFile[]): readonly FoundFile[] {
  return files.map(({ path, source }) => ({ path, bytes: new TextEncoder().encode(source) }));
}

/** Turns the Rego files of a folder into the compiler's input. */
export function compilerFiles(files: readonly PolicyFile[]) {
  return files
    .filter(({ path }) => path.endsWith('.rego'))
    .map(({ path, source }) => ({ id: policyIdOf(path), path, source, test: isTest(path) }));
}
